import { existsSync } from "node:fs";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from "playwright-core";
import { onTestFinished } from "vitest";
import type { Daemon } from "../e2e/daemon.ts";

/** The package's browser is for Linux on x64; elsewhere it is the system's, or what `CHROMIUM` names. */
const PACKAGED = process.platform === "linux" && process.arch === "x64";

const ELSEWHERE = [
  process.env["CHROMIUM"],
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

let launched: Promise<Browser> | undefined;

/** Returns a real browser without a window; the test files that a process runs share it, and it ends with the process. */
function browser(): Promise<Browser> {
  launched ??= launch();
  return launched;
}

async function launch(): Promise<Browser> {
  const executablePath = PACKAGED
    ? await chromium.executablePath()
    : (ELSEWHERE.find((path) => path !== undefined && existsSync(path)) ?? playwright.executablePath());
  return playwright.launch({
    executablePath,
    // The packaged one has no sandbox of its own, and is not for the processes of a whole desktop.
    args: PACKAGED ? ["--no-sandbox", "--headless=shell", "--disable-gpu"] : [],
    headless: true,
  });
}

export interface OpenOptions {
  /** Where to go once signed in, as `/doc/notes.md`. */
  readonly to?: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** Who signs in; the daemon's owner without it. */
  readonly token?: string;
}

/** A browser of its own: no cookies of others, and nothing that they stored. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await browser()).newContext(options);
  onTestFinished(() => context.close());
  return context;
}

/** A page of a daemon in a browser of its own (no cookies of others), signed in as a person would be. */
export async function openPage(
  daemon: Daemon,
  { to = "/", width = 1280, height = 800, dark = false, token }: OpenOptions = {},
): Promise<Page> {
  const context = await newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const signedIn = page.waitForResponse(
    (answer) => answer.request().method() === "POST" && answer.url().endsWith("/session"),
  );
  await page.goto(`${daemon.located.url}/#token=${token ?? daemon.located.token}&to=${to}`);
  await signedIn;
  return page;
}
