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
import type { ServedFolder } from "../e2e/daemon.ts";

/**
 * The package's browser is for Linux on x64. Elsewhere the tests use the system's one, or the one that `CHROMIUM`
 * names.
 */
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
    // The packaged browser has no sandbox and no desktop processes.
    args: PACKAGED ? ["--no-sandbox", "--headless=shell", "--disable-gpu"] : [],
    headless: true,
  });
}

export interface OpenOptions {
  /** The address to open after signing in, as `/doc/notes.md`. */
  readonly to?: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** The token to sign in with; the owner's if undefined. */
  readonly token?: string;
  /** Whether the test changes the page for good, as by a clock of its own; no later test gets this page. */
  readonly alone?: boolean;
}

/** Opens a new browser context, without cookies and storage of other tests. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await browser()).newContext(options);
  onTestFinished(() => context.close());
  return context;
}

/** Pages of tests that have ended, each in a context of its own. Loading such a page costs half of a new one. */
const left: Page[] = [];

/** Opens a page of a daemon, signed in as a person would be, without cookies and storage of other tests. */
export async function openPage(
  daemon: ServedFolder,
  { to = "/", width = 1280, height = 800, dark = false, token, alone = false }: OpenOptions = {},
): Promise<Page> {
  const page = left.pop() ?? (await (await (await browser()).newContext()).newPage());
  onTestFinished(({ task }) => leave(page, daemon, !alone && task.result?.state === "pass"));
  page.setDefaultTimeout(45_000); // for a busy machine
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light", reducedMotion: null });
  const signedIn = page.waitForResponse(
    (answer) => answer.request().method() === "POST" && answer.url().endsWith("/session"),
  );
  await page.goto(`${daemon.located.url}/#token=${token ?? daemon.located.token}&to=${to}`);
  await signedIn;
  return page;
}

/** Leaves a page to the next test, or closes it where that test might meet what this one did. */
async function leave(page: Page, daemon: ServedFolder, clean: boolean): Promise<void> {
  const context = page.context();
  try {
    if (!clean || context.pages().length !== 1) throw new Error("the next test gets another page");
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    // This is no view of the page, and has the same process.
    await page.goto(`${daemon.located.url}/health`, { timeout: 2_000 });
    await page.evaluate("localStorage.clear(); sessionStorage.clear()");
    await context.clearCookies();
    left.push(page);
  } catch {
    await context.close();
  }
}
