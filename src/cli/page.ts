import { spawn } from "node:child_process";
import type { Command } from "commander";
import { CommandError, EXIT, print, printJson } from "./output.ts";
import { type Common, talk } from "./session.ts";

interface OpenOptions extends Common {
  readonly print?: boolean;
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
    const signedIn = await invitation(located);
    const url = document === undefined ? signedIn : `${signedIn}&to=/doc/${encodeURI(pathOf(document))}`;
    if (options.json) return printJson({ url });
    if (options.print || !(await browse(url))) return print(url);
    print(`opened ${located.url} in your browser`);
  });
}

/** @throws CommandError when the daemon does not give one */
async function invitation({ url, token }: { url: string; token: string }): Promise<string> {
  const answer = await fetch(`${url}/session/invitation`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new CommandError(EXIT.refused, `the daemon answered ${answer.status}`);
  return ((await answer.json()) as { url: string }).url;
}

/** Whether a browser could be asked to show an address. */
function browse(url: string): Promise<boolean> {
  const screen =
    process.platform === "darwin" || Boolean(process.env["DISPLAY"] ?? process.env["WAYLAND_DISPLAY"]);
  if (!screen) return Promise.resolve(false);
  const child = spawn(process.platform === "darwin" ? "open" : "xdg-open", [url], { stdio: "ignore" });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}
