import { Command, CommanderError } from "commander";
import { adoptCommand } from "./adopt.ts";
import { batchCommands } from "./batches.ts";
import { completionCommand } from "./completion.ts";
import { daemonCommands } from "./daemon.ts";
import { readingCommands } from "./documents.ts";
import { editingCommands } from "./edits.ts";
import { exploringCommands } from "./explore.ts";
import { historyCommands } from "./history.ts";
import { hookCommand } from "./hook.ts";
import { mcpCommand } from "./mcp.ts";
import { CommandError, EXIT, paint, printJson, remark } from "./output.ts";
import { pageCommand } from "./page.ts";
import { proposalCommands } from "./proposals.ts";
import { serviceCommand } from "./service.ts";
import type { Common } from "./session.ts";
import { tokenCommands } from "./tokens.ts";
import { trustCommand } from "./trust.ts";
import { watchCommand } from "./watch.ts";

/** Runs the command line and returns its exit code. */
export async function main(argv: readonly string[], version: string): Promise<number> {
  const program = new Command("spliced")
    .description("merges the edits of agents and people in the same files")
    .version(version, "-V, --version", "print the version")
    .option("--json", "print JSON, for programs")
    .option("--agent <name>", "the author of your edits (default: your user name)")
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({ writeErr: remark }) // errors quote arguments, which may have control characters
    .addHelpText("after", HELP);
  // A program such as head reads only the first lines, then closes the pipe.
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
  hookCommand(program);
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
    if (error instanceof CommandError) return printError(error.message, error.hint, error.exitCode);
    if (error instanceof Error && (READABLE.has(error.name) || "syscall" in error))
      return printError(error.message, undefined, EXIT.refused);
    throw error;
  }
}

/** Errors whose message is for a person, as are the system's own errors, such as a port in use. */
const READABLE = new Set([
  "LockedError",
  "ConfigError",
  "StateError",
  "StoreError",
  "TokensError",
  "SettingsProblem",
]);

const HELP = `
Exit codes: 0 done, 1 refused, 2 usage, 3 no daemon.

Try:
  $ spliced start                                    serve the current folder
  $ spliced open                                     review changes in your browser
  $ spliced ls "**/*.md"
  $ spliced replace notes.md "Monday" "Tuesday"
  $ spliced watch                                    see who changes what
  $ spliced token add bot --allow "docs/**=write"    let an agent edit docs and nothing else
  $ spliced stop`;

function printError(message: string, hint: string | undefined, code: number): number {
  remark(`${paint("red", "error:", process.stderr)} ${message}`);
  if (hint !== undefined) remark(hint);
  return code;
}
