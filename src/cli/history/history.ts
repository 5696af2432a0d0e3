import type { Command } from "commander";
import type { BriefClient } from "../../client/brief.ts";
import { changeIdFrom } from "../connection/ids.ts";
import { type Common, talk } from "../connection/session.ts";
import { type EditOptions, reasoned, reasonIn, report } from "../documents/edits.ts";
import { countTo, parseLines } from "../terminal/arguments.ts";
import { paint, paintDiff, print, printJson, printText, remark, whoOf } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";
import { typed } from "../terminal/typed.ts";
import { blameLines } from "./blame-lines.ts";
import { changeLine, NEWEST } from "./change-line.ts";
import { undoCommand } from "./undo.ts";

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
    .option("-n, --limit <n>", "list at most this many changes, up to 1000", countTo(1000), 20)
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
        if (listed.changes.length === 0)
          return remark(await nothingListed(client, path && pathOf(path), options));
        for (const change of listed.changes) {
          print(changeLine(change));
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
          print(paint("dim", typed(`older changes: spliced history --before ${last.changeId}`)));
      });
    });
}

/** Returns the reason why a list of changes is empty: whom else the history knows, if the list names an author. */
async function nothingListed(
  client: BriefClient,
  path: string | undefined,
  { by }: { readonly by?: string },
): Promise<string> {
  const { changes } = await client.request("history.list", {
    limit: NEWEST,
    ...(path !== undefined && { path }),
  });
  const authors = new Set(changes.map(({ author }) => author));
  if (authors.size === 0) return "there is no change yet";
  if (by === undefined) return "there is no older change";
  return `there is no change of ${by}; the newest changes are of: ${[...authors].join(", ")}`;
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
        // Another change may have come since, and the places count in the text that was blamed.
        const { text } = await client.request("doc.read", { path: pathOf(path), version: blamed.version });
        for (const blameLine of blameLines(blamed, text)) print(blameLine);
      });
    });
}

function restoreCommand(program: Command): void {
  reasoned(program.command("restore"))
    .description("restore a deleted document, or an older version of a document")
    .argument("<path>", "the document")
    .argument("[version]", "the version, from spliced history")
    .action((path: string, version: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<EditOptions>();
      return talk(options, async ({ client, pathOf }) => {
        if (version !== undefined)
          return report(
            await client.request("history.restore", { path: pathOf(path), version, ...reasonIn(options) }),
            options,
          );
        const restored = await client.request("doc.restore", { path: pathOf(path), ...reasonIn(options) });
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
    .alias("ls")
    .description("list checkpoints, newest first")
    .action((_options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const listed = await client.request("checkpoint.list", {});
        if (options.json) return printJson(listed);
        for (const { name, time, author, machine, documents } of listed.checkpoints)
          print(
            `${paint("dim", localTime(time))}  ${name}  ${documents} files, by ${whoOf({ author, machine })}`,
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
