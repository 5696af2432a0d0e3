import { Command, CommanderError } from "commander";
import { addCommands } from "./commands.ts";
import type { Common } from "./connection/session.ts";
import { refuseEmptyValues } from "./terminal/empty-values.ts";
import { fitted } from "./terminal/help-text.ts";
import { namesOf } from "./terminal/names-of.ts";
import { AnsweredError, CommandError, EXIT, paint, printJson, printText, remark } from "./terminal/output.ts";
import { systemProblem } from "./terminal/system-problem.ts";
import { typed } from "./terminal/typed.ts";

/** Runs the command line and returns its exit code. */
export async function main(argv: readonly string[], version: string): Promise<number> {
  const shown = argv.includes("--json") ? JSON.stringify({ version }, null, 2) : version;
  const program = new Command("spliced")
    .description("merges the edits of agents and people in the same files")
    .version(shown, "-V, --version", "print the version")
    .option("--json", "print JSON, for programs")
    .option("--agent <name>", "the author of your edits (default: your user name)")
    .exitOverride()
    // Errors quote arguments, which may have control characters. `reportUsage` prints the errors themselves.
    .configureOutput({
      writeOut: (text) => process.stdout.write(fitted(typed(text), process.stdout.columns ?? COLUMNS)),
      writeErr: (text) => remark(fitted(typed(text), process.stderr.columns ?? COLUMNS)),
      outputError: () => undefined,
    })
    .addHelpText("after", HELP);
  process.stdout.on("error", endWithoutOutput);
  // A remark that cannot be written has no other place. The exit code still answers.
  process.stderr.on("error", () => undefined);
  await addCommands(program, argv);
  for (const command of program.commands.flatMap((command) => [command, ...command.commands]))
    command.exitOverride();
  try {
    program.hook("preAction", (_program, command) => {
      unmarkTexts(command);
      refuseEmptyValues(command);
    });
    await program.parseAsync(withoutHelp(argv, program).map(marked), { from: "user" });
    return EXIT.done;
  } catch (error) {
    const failure = readable(error, program, argv);
    if (failure === undefined) return EXIT.done;
    // A usage error may end the parsing before the option.
    const isJson = program.opts<Common>().json || argv.includes("--json");
    if (isJson && !(failure instanceof AnsweredError))
      printJson({ ...failure.done, error: failure.refusal ?? problemOf(failure) });
    // The help that names the commands is printed already.
    if (failure instanceof NoCommandError) return failure.exitCode;
    const { message, refusal } = failure;
    const shown = refusal === undefined ? typed(message) : message; // a refusal may have text of a document
    printText(`${paint("red", "error:", process.stderr)} ${shown}`, process.stderr);
    if (failure.hint !== undefined) remark(failure.hint);
    return failure.exitCode;
  }
}

/** Ends the process, whose answer nobody can receive: a program such as head closed the pipe, or the disk is full. */
function endWithoutOutput({ code, message }: NodeJS.ErrnoException): never {
  if (code === "EPIPE") process.exit(EXIT.done);
  remark(`error: the answer cannot be written: ${message}`);
  process.exit(EXIT.refused);
}

/** The error of words that name no command, or a group of commands without one of them. */
class NoCommandError extends CommandError {}

/** No argument of a process contains this character. */
const MARK = "\0";

/** Removes the word `help` before a word that is no command, so that a typo is refused as elsewhere. */
function withoutHelp(argv: readonly string[], { commands }: Command): readonly string[] {
  const [first, second] = argv;
  const isTypo =
    first === "help" &&
    second !== undefined &&
    commands.every((command) => !namesOf(command).includes(second));
  return isTypo ? argv.slice(1) : argv;
}

/** Marks a text such as `- item`, so that the parser does not take it for an option, which has no space. */
function marked(argument: string): string {
  return /^-+\s/.test(argument) ? `${MARK}${argument}` : argument;
}

/** Removes the marks from the arguments and the options of a command. */
function unmarkTexts(command: Command): void {
  const unmarked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(unmarked);
    return typeof value === "string" && value.startsWith(MARK) ? value.slice(MARK.length) : value;
  };
  for (const [i, value] of command.processedArgs.entries()) command.processedArgs[i] = unmarked(value);
  for (const [name, value] of Object.entries(command.opts()))
    command.setOptionValueWithSource(name, unmarked(value), command.getOptionValueSource(name));
}

/** Returns an error for a person; undefined for help that was wanted. @throws any other error */
function readable(error: unknown, program: Command, argv: readonly string[]): CommandError | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined;
    if (error.code !== "commander.help") return usageError(error, program, argv);
    const place = placeOf(program, argv);
    return new NoCommandError(EXIT.usage, `no command is named; see: ${place} --help`);
  }
  if (error instanceof Error && "syscall" in error) return systemProblem(error as NodeJS.ErrnoException);
  if (error instanceof Error && READABLE.has(error.name))
    return new CommandError(EXIT.refused, error.message);
  throw error;
}

/** Returns a usage error in one line: a similar word if there is one, or else where the help is. */
function usageError({ message }: CommanderError, program: Command, argv: readonly string[]): CommandError {
  const [problem, similar] = message
    .replace(/^error: /, "")
    .replaceAll(MARK, "")
    .replace(/^command-argument value (.*) is invalid for argument '(.*?)'/, "$1 is invalid for <$2>")
    .split("\n");
  const found = /^\(Did you mean (.*)\?\)$/.exec(similar ?? "")?.[1];
  if (found !== undefined) return new CommandError(EXIT.usage, `${problem}; did you mean ${found}?`);
  return new CommandError(
    EXIT.usage,
    `${problem?.replace(/\.$/, "")}; see: ${placeOf(program, argv)} --help`,
  );
}

/** Returns the command that the words name, with its group, such as `spliced token add`. */
function placeOf(program: Command, argv: readonly string[]): string {
  const words = ["spliced"];
  let command: Command | undefined = program;
  for (const word of argv) {
    const inner: Command | undefined = command.commands.find((each) => namesOf(each).includes(word));
    if (inner === undefined) continue;
    words.push(word);
    command = inner;
  }
  return words.join(" ");
}

/** Returns the fields that a program reads for an error that no daemon answered. */
function problemOf({ exitCode, message, hint }: CommandError): object {
  const code = { [EXIT.usage]: "USAGE", [EXIT.noDaemon]: "NO_DAEMON" }[exitCode] ?? "REFUSED";
  return { code, message, ...(hint !== undefined && { suggestion: hint }) };
}

/** The columns of help for a program, as Commander counts them. */
const COLUMNS = 80;

/** Errors whose message is for a person. */
const READABLE = new Set([
  "AddressError",
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
