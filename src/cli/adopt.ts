import type { Command } from "commander";
import { findWorkspace } from "../client/index.ts";
import { workspaceFolder } from "./background.ts";
import { CommandError, EXIT, paint, print, printJson } from "./output.ts";
import type { Common } from "./session.ts";

/** The command that takes over what a workspace brought from elsewhere. */
export function adoptCommand(program: Command): void {
  program
    .command("adopt")
    .description("take over the history and tokens that a copied or restored workspace brought along")
    .argument("[folder]", "a folder in the workspace", ".")
    .addHelpText("after", HELP)
    .action((folder: string, _options, command: Command) => adopt(folder, command.optsWithGlobals<Common>()));
}

const HELP = `
A daemon believes only what this user's daemons and commands made in this very folder, so that a download cannot
bring tokens or a history of its own. Adopt what is yours: a workspace that you copied, restored from a backup or
used with an earlier version. Never adopt what came with a download. Stop the daemon first.`;

async function adopt(folder: string, { json }: Common): Promise<void> {
  const given = workspaceFolder(folder);
  const root = findWorkspace(given);
  if (root === undefined)
    throw new CommandError(EXIT.noDaemon, `${given} is in no workspace yet`, "make one with: spliced start");
  const { adoptState: adopt } = await import("../daemon/adopt.ts");
  const adopted = await adopt(root);
  if (json) return printJson({ root, ...adopted });
  const { store, replaced, tokens } = adopted;
  if (store === undefined && tokens.length === 0) return print(`nothing to adopt in ${root}`);
  if (store !== undefined) print(`${paint("green", "adopted")} the history in ${store}`);
  if (replaced !== undefined) print(`the history since then is kept in ${replaced}`);
  for (const { name, allow } of tokens)
    print(`${paint("green", "adopted")} token ${name}  ${allow.join("  ")}`);
}
