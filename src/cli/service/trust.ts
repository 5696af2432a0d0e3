import type { Command } from "commander";
import { workspaceFolder } from "../connection/background.ts";
import type { Common } from "../connection/session.ts";
import { CommandError, EXIT, paint, print, printJson } from "../terminal/output.ts";

/** Adds the command that approves a workspace's configuration. */
export function trustCommand(program: Command): void {
  program
    .command("trust")
    .description("approve the code in a workspace's daemon.config.ts, as it is now")
    .argument("[folder]", "the workspace", ".")
    .addHelpText("after", HELP)
    .action((folder: string, _options, command: Command) => trust(folder, command.optsWithGlobals<Common>()));
}

const HELP = `
The daemon reads a daemon.config.ts of plain settings without running it. One that is code would run as you, so the
daemon refuses it until you approve it, and again after every change. Read the file first: a download may bring one.`;

async function trust(folder: string, { json }: Common): Promise<void> {
  const root = workspaceFolder(folder);
  const { approveConfig } = await import("../../daemon/config/config.ts");
  const approved = approveConfig(root);
  if (approved === undefined) throw new CommandError(EXIT.refused, `${root} has no daemon.config.ts`);
  if (json) return printJson(approved);
  print(
    approved.code
      ? `${paint("green", "approved")} ${approved.file} as it is now`
      : `${approved.file} is plain settings, which need no approval`,
  );
}
