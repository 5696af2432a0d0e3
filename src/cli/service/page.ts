import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { ask } from "../../client/ask.ts";
import { givenToken } from "../../client/given-token.ts";
import { type Common, foreignToken, talk } from "../connection/session.ts";
import { CommandError, EXIT, print, printJson, remark } from "../terminal/output.ts";
import { REDIRECT_MS, writeRedirectPage } from "./redirect-page.ts";

interface OpenOptions extends Common {
  readonly print?: boolean;
}

/** An address of the page that signs one browser in. */
interface Invitation {
  readonly url: string;
  /** True once a browser has used the address, or it is no longer valid for another reason. */
  isOver(): Promise<boolean>;
}

/** Adds `open`, which shows the review page in a browser. */
export function pageCommand(program: Command): void {
  program
    .command("open")
    .description("open the page in your browser, with documents, proposals, history and undo")
    .argument("[document]", "the document to show")
    .option("--print", "only print the address, which signs in one browser, once, within 15 minutes")
    .action((document: string | undefined, _options, command: Command) =>
      open(document, command.optsWithGlobals<OpenOptions>()),
    );
}

async function open(document: string | undefined, options: OpenOptions): Promise<void> {
  await talk(options, async ({ client, located, pathOf }) => {
    const path = document === undefined ? undefined : pathOf(document);
    if (path !== undefined) await client.request("doc.open", { path });
    const invitation = await invite(located);
    const to = path === undefined ? "" : `&to=/doc/${encodeURI(path)}`;
    const url = `${invitation.url}${to}`;
    if (options.json) return printJson({ url });
    if (options.print || !hasScreen()) return print(url);
    const redirect = writeRedirectPage(join(located.root, ".spliced"), url);
    const end = new AbortController();
    const used = isUsed(invitation, end.signal);
    const opened = await Promise.race([openInBrowser(redirect.path), used]);
    if (!opened) end.abort();
    print(opened ? `opened ${located.url} in your browser` : url);
    const signedIn = await used;
    redirect.remove();
    if (opened && !signedIn)
      remark("the browser has not signed in yet; if it cannot, open the address from: spliced open --print");
  });
}

/** Asks the daemon for an invitation. @throws CommandError when the daemon refuses */
async function invite({ url, token }: { url: string; token: string }): Promise<Invitation> {
  const at = `${url}/session/invitation`;
  const answer = await asked(at, token, "POST");
  if (answer.status === UNAUTHENTICATED && givenToken() !== undefined) throw foreignToken();
  if (answer.status !== OK)
    throw new CommandError(
      EXIT.refused,
      `the daemon refused to sign in a browser (HTTP ${answer.status})`,
      "see the daemon's problems with: spliced status",
    );
  const invitation = JSON.parse(answer.text) as { url: string };
  const key = invitation.url.slice(invitation.url.indexOf("#key=") + "#key=".length);
  return {
    url: invitation.url,
    isOver: async () => (await asked(at, key, "GET")).status !== OK,
  };
}

const OK = 200;
const UNAUTHENTICATED = 401;
/** The longest answer about an invitation that the command reads, in characters. */
const MOST_ANSWER = 4096;

function asked(at: string, token: string, method: "GET" | "POST"): ReturnType<typeof ask> {
  return ask(at, MOST_ANSWER, { method, headers: { authorization: `Bearer ${token}` } });
}

/** Resolves to whether a browser uses the invitation while the redirect page exists. */
async function isUsed(invitation: Invitation, signal: AbortSignal): Promise<boolean> {
  const end = Date.now() + REDIRECT_MS;
  while (Date.now() < end && !signal.aborted) {
    if (await invitation.isOver()) return true;
    await wait(POLL_MS);
  }
  return false;
}

const POLL_MS = 100;

function hasScreen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform === "darwin" || Boolean(DISPLAY ?? WAYLAND_DISPLAY);
}

/** Resolves to whether the system opened a file in a browser. On some systems it resolves when the browser ends. */
function openInBrowser(file: string): Promise<boolean> {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(opener, [file], { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}
