import type { Command } from "commander";
import type { BriefClient } from "../client/brief.ts";
import type { Params, Result } from "../protocol/schemas.ts";
import { parseCount, parseLines, parseTime } from "./arguments.ts";
import { type EditOptions, report } from "./edits.ts";
import { batchIdFrom, changeIdFrom } from "./ids.ts";
import { CommandError, EXIT, paint, paintDiff, print, printJson, printText, whoOf } from "./output.ts";
import { type Common, talk } from "./session.ts";

type ListedChange = Result<"history.list">["changes"][number];

/** Adds the commands that show the history and return to earlier versions. */
export function historyCommands(program: Command): void {
  historyCommand(program);
  undoCommand(program, "undo", "undo one change and keep all later ones (default: your newest change)");
  undoCommand(program, "redo", "redo a change that was undone (default: the one that you undid last)");
  blameCommand(program);
  restoreCommand(program);
  checkpointCommands(program);
}

function historyCommand(program: Command): void {
  program
    .command("history")
    .description("list changes and their authors, newest first")
    .argument("[path]", "only changes of this document")
    .option("--by <agent>", "only changes of this agent; disk lists saves to the files")
    .option("-n, --limit <n>", "list at most this many changes", parseCount, 20)
    .option("--before <change>", "only changes older than this one")
    .option("-p, --patch", "show the diff of each change")
    .addHelpText("after", "\nExamples:\n  $ spliced history notes.md -p\n  $ spliced history --by disk")
    .action((path: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<
        Common & { by?: string; limit: number; before?: string; patch?: boolean }
      >();
      return talk(options, async ({ client, pathOf }) => {
        const listed = await client.request("history.list", {
          limit: options.limit,
          ...(path !== undefined && { path: pathOf(path) }),
          ...(options.by !== undefined && { agent: options.by }),
          ...(options.before !== undefined && { before: await changeIdFrom(client, options.before) }),
        });
        if (options.json) return printJson(listed);
        for (const change of listed.changes) {
          print(line(change));
          if (!options.patch || change.previous === null) continue;
          const { diff } = await client.request("history.diff", {
            path: change.path,
            from: change.previous,
            to: change.version,
          });
          printText(paintDiff(diff.slice(diff.indexOf("\n---\n") + 5)));
        }
        const last = listed.changes.at(-1);
        if (listed.more && last !== undefined)
          print(paint("dim", `older changes: spliced history --before ${last.changeId}`));
      });
    });
}

function line({
  changeId,
  time,
  path,
  author,
  machine,
  added,
  removed,
  message,
  undone,
  undoes,
  version,
  kind,
  from,
  to,
  certainty,
  edits,
}: ListedChange): string {
  const notes = [
    ...(edits === undefined ? [] : [`${edits} edits`]),
    ...(certainty === "likely" ? ["likely"] : []),
    ...(undoes === undefined ? [] : [`undoes ${undoes}`]),
    ...(undone ? ["undone"] : []),
    ...(message === undefined ? [] : [message]),
  ].join("; ");
  const sizes = `${paint("green", `+${added}`)} ${paint("red", `-${removed}`)}`;
  const done = {
    edit: sizes,
    create: paint("green", "created"),
    delete: paint("red", "deleted"),
    rename: `renamed ${from} → ${to}`,
  }[kind];
  const when = paint("dim", time.slice(0, 19).replace("T", " "));
  return `${when}  ${paint("yellow", changeId)}  ${path} ${version}  ${paint("cyan", whoOf({ author, machine }))}  ${done}  ${notes}`.trimEnd();
}

interface UndoOptions extends EditOptions {
  readonly batch?: string;
  readonly by?: string;
  readonly in?: string;
  readonly since?: Date;
  readonly session?: string;
  readonly dryRun?: boolean;
}

function undoCommand(program: Command, name: "undo" | "redo", description: string): void {
  const command = program
    .command(name)
    .description(description)
    .argument("[change]", "the id of the change, from spliced history or spliced watch")
    .option("--batch <id>", "all changes of this batch")
    .option("--by <agent>", "the newest change of this agent; disk means saves to the files")
    .option("--in <path>", "the newest change of this document");
  if (name === "undo")
    command
      .option("--since <time>", "everything since then: 14:00, 10m, 2h, 3d, or a date and time", parseTime)
      .option("--session <session>", "everything of this session, from spliced history")
      .option("--dry-run", "show the changes that --since or --session would undo, and change nothing")
      .addHelpText("after", UNDO_HELP);
  command
    .option("-m, --message <why>", "the reason, in up to 80 characters; the history shows it")
    .option("--durable", "return once the edit is durable, before its file is written")
    .action((changeId: string | undefined, _options, command: Command) =>
      undo(name, changeId, command.optsWithGlobals<UndoOptions>()),
    );
}

const UNDO_HELP = `
With --since or --session, --agent names the agent whose changes are undone; without it they are yours. The changes
are undone together or not at all, files that came, went or moved included. Later changes of others stay.

Examples:
  $ spliced undo --agent codex --since 2h --dry-run
  $ spliced undo --agent claude --session 5f0c2a71`;

function undo(name: "undo" | "redo", changeId: string | undefined, options: UndoOptions): Promise<void> {
  const { since, session, dryRun = false } = options;
  const isSpan = since !== undefined || session !== undefined;
  if (dryRun && !isSpan)
    throw new CommandError(
      EXIT.usage,
      "--dry-run needs --since or --session",
      "spliced history -p shows a change",
    );
  const agent = options.by ?? (isSpan ? options.agent : undefined);
  const { agent: _, ...rest } = options;
  // --agent names the agent whose changes are undone here, and not the author of the undo.
  return talk(isSpan ? rest : options, async ({ client, pathOf }) => {
    const params: Params<"undo"> = {
      ack: options.durable ? "durable" : "mirrored",
      ...(changeId !== undefined && { changeId: await changeIdFrom(client, changeId) }),
      ...(options.batch !== undefined && { batchId: await batchIdFrom(client, options.batch) }),
      ...(agent !== undefined && { agent }),
      ...(since !== undefined && { since: since.toISOString() }),
      ...(session !== undefined && { session }),
      ...(options.in !== undefined && { path: pathOf(options.in) }),
      ...(options.message !== undefined && { message: options.message }),
    };
    if (dryRun) return showUndo(await client.request("preview.create", { method: "undo", params }), options);
    const done = await client.request(name, params);
    if (options.json) return printJson(done);
    for (const one of done.files ?? [done]) {
      report(one, options);
      await reportUndone(client, name, one);
    }
  });
}

/** Prints whose change was undone or redone, and when it was made, if the history has it among the newest changes. */
async function reportUndone(
  client: BriefClient,
  name: "undo" | "redo",
  { path, changeId }: { readonly path: string; readonly changeId: string | null },
): Promise<void> {
  const { changes } = await client.request("history.list", { path, limit: 1000 });
  const by = changes.find((change) => change.changeId === changeId);
  const undone = changes.find((change) => change.changeId === by?.undoes);
  if (undone !== undefined) print(`  ${name === "undo" ? "undid" : "redid"} ${line(undone)}`);
}

function showUndo(preview: Result<"preview.create">, { json }: UndoOptions): void {
  if (json) {
    printJson(preview);
    return;
  }
  for (const { path, diff, warnings } of preview.files) {
    print(`${paint("bold", path)}${warnings.length > 0 ? `: ${warnings.join("; ")}` : ""}`);
    if (diff !== "") printText(paintDiff(diff));
  }
  print("nothing was changed; without --dry-run this is undone");
}

function blameCommand(program: Command): void {
  program
    .command("blame")
    .description("show the author of each part of a document")
    .argument("<path>", "the document")
    .option("-l, --lines <from-to>", "only these lines, such as 10-20", parseLines)
    .action((path: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { lines?: [number, number] }>();
      return talk(options, async ({ client, pathOf }) => {
        const { lines } = options;
        const blamed = await client.request("blame", { path: pathOf(path), ...(lines && { lines }) });
        if (options.json) return printJson(blamed);
        const { text } = await client.request("doc.read", { path: pathOf(path) });
        const chars = Array.from(text);
        const names = blamed.runs.map(({ author, machine }) => whoOf({ author: author ?? "", machine }));
        const width = Math.max(0, ...names.map(({ length }) => length));
        for (const [run, { from, to, line, changeId, time }] of blamed.runs.entries()) {
          const who = `${paint("cyan", names[run]!.padEnd(width))} ${paint("dim", `${time?.slice(0, 10) ?? "older"} ${changeId ?? ""}`)}`;
          for (const [i, part] of chars.slice(from, to).join("").split("\n").entries())
            if (part !== "") print(`${who} ${String(line + i).padStart(5)}  ${part}`);
        }
      });
    });
}

function restoreCommand(program: Command): void {
  program
    .command("restore")
    .description("restore a deleted document, or an older version of a document")
    .argument("<path>", "the document")
    .argument("[version]", "the version, from spliced history")
    .action((path: string, version: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<EditOptions>();
      return talk(options, async ({ client, pathOf }) => {
        if (version !== undefined)
          return report(await client.request("history.restore", { path: pathOf(path), version }), options);
        const restored = await client.request("doc.restore", { path: pathOf(path) });
        if (options.json) printJson(restored);
        else print(`${paint("green", "restored")} ${restored.path} (version=${restored.version})`);
      });
    });
}

function checkpointCommands(program: Command): void {
  const checkpoint = program
    .command("checkpoint")
    .description("record the versions of all documents under a name, and restore them");
  checkpoint
    .command("create")
    .description("record the versions of all documents under a name")
    .argument("<name>", "the name of the checkpoint")
    .action((name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const made = await client.request("checkpoint.create", { name });
        if (options.json) printJson(made);
        else print(`${paint("green", "✓")} ${made.name}: ${made.documents} files`);
      });
    });
  checkpoint
    .command("list")
    .description("list checkpoints, newest first")
    .action((_options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const listed = await client.request("checkpoint.list", {});
        if (options.json) return printJson(listed);
        for (const { name, time, author, machine, documents } of listed.checkpoints)
          print(
            `${paint("dim", time.slice(0, 19).replace("T", " "))}  ${name}  ${documents} files, by ${whoOf({ author, machine })}`,
          );
      });
    });
  checkpoint
    .command("restore")
    .description("restore all files of a checkpoint; the history and newer files stay")
    .argument("<name>", "the name of the checkpoint")
    .option("--dry-run", "show the files that would be restored, and restore nothing")
    .action((name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { dryRun?: true }>();
      const preview = options.dryRun === true;
      return talk(options, async ({ client }) => {
        const done = await client.request("checkpoint.restore", { name, preview });
        if (options.json) return printJson(done);
        for (const path of done.restored) print(`${preview ? "·" : paint("green", "✓")} ${path}`);
        for (const { path, message } of done.failed) print(`${paint("red", "✗")} ${path}: ${message}`);
        const restored = preview ? "would be restored" : "restored";
        print(
          `${done.restored.length} ${restored}, ${done.unchanged} unchanged, ${done.newer.length} newer files stay as they are`,
        );
      });
    });
}
