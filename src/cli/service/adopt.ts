import type { Command } from "commander";
import { findWorkspace } from "../../client/locate.ts";
import { workspaceFolder } from "../connection/background.ts";
import type { Common } from "../connection/session.ts";
import { CommandError, EXIT, paint, print, printJson } from "../terminal/output.ts";

/** Adds `adopt`, which accepts the history and tokens of a copied or restored workspace. */
export function adoptCommand(program: Command): void {
  program
    .command("adopt")
    .description("accept the history and tokens of a workspace that you copied or restored")
    .argument("[folder]", "the workspace, or a folder in it", ".")
    .addHelpText("after", HELP)
    .action((folder: string, _options, command: Command) => adopt(folder, command.optsWithGlobals<Common>()));
}

const HELP = `
A daemon uses only the history and tokens that you made in this very folder, so that a download cannot bring its own.
Adopt a workspace that you copied, restored from a backup or used with an earlier version. Never adopt a download.
Stop the daemon first, with: spliced stop`;

async function adopt(folder: string, { json }: Common): Promise<void> {
  const given = workspaceFolder(folder);
  const root = findWorkspace(given);
  if (root === undefined)
    throw new CommandError(EXIT.noDaemon, `${given} is not in a workspace`, "make one with: spliced start");
  const { adoptState: adopt } = await import("../../daemon/adopt.ts");
  const adopted = await adopt(root);
  if (json) return printJson({ root, ...adopted });
  const { store, replaced, tokens } = adopted;
  if (store === undefined && tokens.length === 0) return print(`nothing to adopt in ${root}`);
  if (store !== undefined) print(`${paint("green", "adopted")} the history in ${store}`);
  if (replaced !== undefined) print(`the history that it replaces is now in ${replaced}`);
  for (const { name, allow } of tokens)
    print(`${paint("green", "adopted")} token ${name}  ${allow.join("  ")}`);
}
