import { Command, CommanderError } from "commander";
import { adoptCommand } from "./adopt.ts";
import { batchCommands } from "./batches.ts";
import { completionCommand } from "./completion.ts";
import { daemonCommands } from "./daemon.ts";
import { readingCommands } from "./documents.ts";
import { editingCommands } from "./edits.ts";
import { exploringCommands } from "./explore.ts";
import { historyCommands } from "./history.ts";
import { mcpCommand } from "./mcp.ts";
import { CommandError, EXIT, paint, printJson, remark } from "./output.ts";
import { pageCommand } from "./page.ts";
import { proposalCommands } from "./proposals.ts";
import { serviceCommand } from "./service.ts";
import type { Common } from "./session.ts";
import { tokenCommands } from "./tokens.ts";
import { trustCommand } from "./trust.ts";
import { watchCommand } from "./watch.ts";

/** Runs the command line; answers the exit code. */
export async function main(argv: readonly string[], version: string): Promise<number> {
  const program = new Command("spliced")
    .description("splices the edits of agents and people into the same files")
    .version(version)
    .option("--json", "answer in JSON, for programs")
    .option("--agent <name>", "the name your edits are shown under (default: your user name)")
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({ writeErr: remark }) // what was typed may have come from a document
    .addHelpText("after", HELP);
  // Whoever reads may have seen enough, as head has.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(EXIT.done);
  });
  daemonCommands(program);
  adoptCommand(program);
  trustCommand(program);
  serviceCommand(program);
  pageCommand(program);
  readingCommands(program);
  watchCommand(program);
  editingCommands(program);
  batchCommands(program);
  proposalCommands(program);
  exploringCommands(program);
  historyCommands(program);
  mcpCommand(program);
  tokenCommands(program);
  completionCommand(program);
  for (const command of program.commands.flatMap((command) => [command, ...command.commands]))
    command.exitOverride().showHelpAfterError();
  try {
    await program.parseAsync([...argv], { from: "user" });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof CommandError && error.refusal !== undefined && program.opts<Common>().json)
      printJson({ error: error.refusal });
    if (error instanceof CommandError) return complain(error.message, error.hint, error.exitCode);
    if (error instanceof Error && (EXPECTED.has(error.name) || "syscall" in error))
      return complain(error.message, undefined, EXIT.refused);
    throw error;
  }
}

/** Errors whose message is meant for the person, as the system's own are (a port that is taken, say). */
const EXPECTED = new Set(["LockedError", "ConfigError", "StateError", "StoreError", "TokensError"]);

const HELP = `
Exit codes: 0 done, 1 refused, 2 usage, 3 no daemon.

Try:
  $ spliced start                                    serve the current folder
  $ spliced open                                     see and review it all in your browser
  $ spliced ls "**/*.md"
  $ spliced replace notes.md "Monday" "Tuesday"
  $ spliced watch                                    see who changes what
  $ spliced token add bot --allow "docs/**=write"    let an agent in, so far and no further
  $ spliced stop`;

function complain(message: string, hint: string | undefined, code: number): number {
  remark(`${paint("red", "error:", process.stderr)} ${message}`);
  if (hint !== undefined) remark(hint);
  return code;
}
