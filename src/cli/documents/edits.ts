import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { Params, Result } from "../../protocol/schemas/schemas.ts";
import { type Common, talk } from "../connection/session.ts";
import { parseCount, type View, viewOption } from "../terminal/arguments.ts";
import { CommandError, EXIT, paint, print, printJson } from "../terminal/output.ts";
import { shellPath } from "../terminal/shell-word.ts";
import { typed } from "../terminal/typed.ts";
import { printCreated } from "./proposed.ts";

/** The options of a command whose change may have a reason. */
export interface Reasoned extends Common {
  readonly message?: string;
}

export interface EditOptions extends Reasoned {
  readonly durable?: boolean;
  readonly base?: string;
  readonly onStale?: "merge" | "reject";
  readonly confirm?: string;
}

/** The base of an edit without `--base`: a person at the command line means the document as it is now. */
export const LATEST = "latest";

type EditMethod = "edit.replace" | "edit.patch" | "edit.append" | "edit.write" | "edit.set";

/** Adds the commands that edit one document. */
export function editingCommands(program: Command): void {
  editing(program.command("replace"))
    .description("replace text in a document")
    .argument("<path>", "the document")
    .argument("<old>", "the text to replace, exactly as it is in the document")
    .argument("<new>", "the new text")
    .addOption(new Option("--first", "replace the first of several matches").conflicts(["all", "nth"]))
    .addOption(new Option("--all", "replace all matches").conflicts("nth"))
    .option("--nth <n>", "replace the n-th match, counted from 1", parseCount)
    .option("--regex", "<old> is an RE2 regular expression; <new> may use $1, $<name> and $&")
    .addHelpText("after", '\nExample:\n  $ spliced replace notes.md "Monday" "Tuesday" -m "meeting moved"')
    .action((path: string, old: string, updated: string, _options, command: Command) => {
      const options = command.optsWithGlobals<
        EditOptions & {
          first?: boolean;
          all?: boolean;
          nth?: number;
          regex?: boolean;
        }
      >();
      const occurrence = options.all ? "all" : options.first ? "first" : options.nth;
      return send(options, "edit.replace", path, {
        old,
        new: updated,
        ...(occurrence !== undefined && { occurrence }),
        ...(options.regex && { regex: true }),
      });
    });

  editing(program.command("patch"))
    .description("apply a unified diff to a document, all of it or nothing")
    .argument("<path>", "the document")
    .argument("[file]", "the file with the diff (default: standard input)")
    .option(
      "--tolerant",
      "accept differences in white space, blank lines and two lines of context, after you confirm",
    )
    .action((path: string, file: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<EditOptions & { tolerant?: boolean }>();
      return send(options, "edit.patch", path, {
        patch: givenInput(file),
        ...(options.tolerant && { match: "tolerant" }),
      });
    });

  editing(program.command("append"))
    .description("add a line at the end of a document, or several")
    .argument("<path>", "the document")
    .argument("[text]", "the text to add (default: standard input)")
    .option(
      "--exact",
      "add the text as it is, also in the middle of a line and without a line break after it",
    )
    .addHelpText("after", '\nExample:\n  $ spliced append todo.md "- call Ada"')
    .action((path: string, text: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<EditOptions & { exact?: boolean }>();
      const given = text ?? input();
      if (text === undefined && given === "")
        throw new CommandError(EXIT.usage, "standard input is empty; nothing was added");
      return options.exact
        ? send(options, "edit.append", path, { text: given })
        : appendLines(options, path, given);
    });

  editing(program.command("write"))
    .description("give a document a new text; only the parts that differ are edited")
    .argument("<path>", "the document")
    .argument("[file]", "the file with the new text (default: standard input)")
    .addOption(
      new Option("--create", "create a new document").conflicts(["base", "confirm", "onStale", "view"]),
    )
    .addOption(viewOption("markdown: the text is the edited Markdown view of a .toml document"))
    .action((path: string, file: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<EditOptions & { create?: boolean; view?: View }>();
      const text = input(file);
      if (text === "" && isStandard(file) && !options.create)
        throw new CommandError(
          EXIT.usage,
          "standard input is empty; nothing was changed",
          `to remove the whole text, run: spliced write ${shellPath(path)} /dev/null`,
        );
      if (!options.create)
        return send(options, "edit.write", path, { text, ...(options.view && { view: options.view }) });
      return talk(options, async ({ client, pathOf }) => {
        const made = await client.request("doc.create", { path: pathOf(path), text, ...reasonIn(options) });
        if (options.json) printJson(made);
        else printCreated(made);
      });
    });
}

/** Adds the option that gives a change's reason. */
export function reasoned(command: Command): Command {
  return command.option("-m, --message <why>", "the reason, in up to 80 characters; the history shows it");
}

/** Returns the reason for a change, as a parameter of its request. */
export function reasonIn({ message }: Reasoned): { readonly message?: string } {
  return message === undefined ? {} : { message };
}

/** Adds the options that all edits have. */
export function editing(command: Command): Command {
  return reasoned(command)
    .option("--durable", "return once the edit is stored, before its file is written")
    .option("--base <version>", "the version that you read; later edits of others are merged")
    .addOption(
      new Option("--on-stale <action>", "what to do if others edited the document since --base").choices([
        "merge",
        "reject",
      ]),
    )
    .option("--confirm <patch_id>", "apply an edit that was refused with CONFIRMATION_REQUIRED");
}

/** Sends an edit and prints its result. */
export async function send<M extends EditMethod>(
  options: EditOptions,
  method: M,
  path: string,
  own: object,
): Promise<void> {
  await talk(options, async ({ client, pathOf }) => {
    const params = {
      path: pathOf(path),
      version: options.base ?? LATEST,
      ...own,
      ...reasonIn(options),
      ...(options.durable && { ack: "durable" }),
      ...(options.onStale !== undefined && { onStale: options.onStale }),
      ...(options.confirm !== undefined && { confirm: options.confirm }),
    } as Params<M>;
    report(await client.request(method, params), options);
  });
}

/** Adds whole lines: after a line without a line break they begin a new one, and the last one gets its own. */
function appendLines(options: EditOptions, path: string, given: string): Promise<void> {
  return talk(options, async ({ client, pathOf }) => {
    const { finalNewline, chars, version } = await client.request("doc.open", { path: pathOf(path) });
    const begins = chars === 0 || finalNewline ? "" : "\n";
    const ends = given.endsWith("\n") ? "" : "\n";
    const base = options.base ?? version;
    await send({ ...options, base }, "edit.append", path, { text: `${begins}${given}${ends}` });
  });
}

/** Prints the result of an edit. */
export function report(result: Result<EditMethod>, options: EditOptions): void {
  if (options.json) {
    printJson(result);
    return;
  }
  print(`${paint("green", "✓")} ${result.path}: ${result.summary}`);
  const isProposed = result.changeId === null && result.proposal !== undefined;
  if (!options.durable && !result.mirrored && !isProposed)
    print(paint("yellow", typed("  stored, but the file cannot be written now; see: spliced status")));
  for (const { ours, theirs } of result.conflicts)
    print(
      paint(
        "yellow",
        `  you and others changed the same words, or words beside each other, at ${theirs.from}..${theirs.to}: ${JSON.stringify(ours.insert)} and ${JSON.stringify(theirs.insert)} are both there`,
      ),
    );
}

/** Reads a file, or standard input, as text without a byte order mark. @throws CommandError when it is no UTF-8 text */
export function input(file?: string): string {
  const standard = isStandard(file);
  const bytes = bytesOf(standard ? 0 : file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const source = standard ? "standard input" : file;
    throw new CommandError(EXIT.refused, `NOT_TEXT: ${source} is not UTF-8 text; nothing was changed`);
  }
}

/** Reads a file, or standard input, for a command that needs a text. @throws CommandError for an empty one, too */
export function givenInput(file?: string): string {
  const text = input(file);
  if (text.trim() !== "") return text;
  const source = isStandard(file) ? "standard input" : file;
  throw new CommandError(EXIT.usage, `${source} is empty; nothing was changed`);
}

function isStandard(file: string | undefined): file is "-" | undefined {
  return file === undefined || file === "-";
}

function bytesOf(file: string | 0): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = UNREADABLE[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    const hint = "name another file, or - for standard input";
    throw new CommandError(EXIT.usage, `cannot read ${file}: ${reason}; nothing was changed`, hint);
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "you may not read it",
};
