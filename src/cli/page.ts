import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { DOORSTEP_MS, makeDoorstep } from "./doorstep.ts";
import { CommandError, EXIT, print, printJson, remark } from "./output.ts";
import { type Common, talk } from "./session.ts";

interface OpenOptions extends Common {
  readonly print?: boolean;
}

/** An address of the page that signs one browser in. */
interface Invitation {
  readonly url: string;
  /** Whether a browser has taken it up, or it counts no more for another reason. */
  isOver(): Promise<boolean>;
}

/** The command that shows the review page. */
export function pageCommand(program: Command): void {
  program
    .command("open")
    .description("open the page in your browser: documents, proposals, who changed what, and taking it back")
    .argument("[document]", "what to show")
    .option("--print", "print the address instead; it signs one browser in, once, within 15 minutes")
    .action((document: string | undefined, _options, command: Command) =>
      open(document, command.optsWithGlobals<OpenOptions>()),
    );
}

async function open(document: string | undefined, options: OpenOptions): Promise<void> {
  await talk(options, async ({ located, pathOf }) => {
    const invitation = await invite(located);
    const to = document === undefined ? "" : `&to=/doc/${encodeURI(pathOf(document))}`;
    const url = `${invitation.url}${to}`;
    if (options.json) return printJson({ url });
    if (options.print || !hasScreen()) return print(url);
    const doorstep = makeDoorstep(join(located.root, ".spliced"), url);
    const end = new AbortController();
    const taken = isTaken(invitation, end.signal);
    const shown = await Promise.race([browse(doorstep.path), taken]);
    if (!shown) end.abort();
    print(shown ? `opened ${located.url} in your browser` : url);
    const signedIn = await taken;
    doorstep.remove();
    if (shown && !signedIn)
      remark("the browser has not signed in yet; if it cannot, give it the address of: spliced open --print");
  });
}

/** @throws CommandError when the daemon does not give one */
async function invite({ url, token }: { url: string; token: string }): Promise<Invitation> {
  const at = `${url}/session/invitation`;
  const answer = await fetch(at, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new CommandError(EXIT.refused, `the daemon answered ${answer.status}`);
  const invitation = (await answer.json()) as { url: string };
  const key = invitation.url.slice(invitation.url.indexOf("#key=") + "#key=".length);
  return {
    url: invitation.url,
    isOver: async () => !(await fetch(at, { headers: { authorization: `Bearer ${key}` } })).ok,
  };
}

/** Whether an invitation is taken up while its doorstep is there. */
async function isTaken(invitation: Invitation, signal: AbortSignal): Promise<boolean> {
  const end = Date.now() + DOORSTEP_MS;
  while (Date.now() < end && !signal.aborted) {
    if (await invitation.isOver()) return true;
    await wait(LOOK_EVERY_MS);
  }
  return false;
}

const LOOK_EVERY_MS = 100;

function hasScreen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform === "darwin" || Boolean(DISPLAY ?? WAYLAND_DISPLAY);
}

/** Whether a browser could be asked to show a file; some systems answer only when it ends. */
function browse(file: string): Promise<boolean> {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(opener, [file], { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}
