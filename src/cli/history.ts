import type { Command } from "commander";
import type { Params, Result } from "../protocol/schemas.ts";
import { parseCount, parseLines } from "./arguments.ts";
import { type EditOptions, report } from "./edits.ts";
import { paint, paintDiff, print, printJson, printText } from "./output.ts";
import { type Common, talk } from "./session.ts";

type Told = Result<"history.list">["changes"][number];

/** Commands about what was done, by whom, and taking it back. */
export function historyCommands(program: Command): void {
  historyCommand(program);
  takingBack(
    program,
    "undo",
    "take a change back and keep all that came after: the one named, or your newest",
  );
  takingBack(program, "redo", "make again what was undone: the change named, or what you undid last");
  blameCommand(program);
  restoreCommand(program);
  checkpointCommands(program);
}

function historyCommand(program: Command): void {
  program
    .command("history")
    .description("tell who changed what, newest first")
    .argument("[path]", "only this document")
    .option("--by <agent>", "only changes of this agent; disk for what came from files")
    .option("-n, --limit <n>", "so many changes", parseCount, 20)
    .option("--before <change>", "only changes older than this one")
    .option("-p, --patch", "with what each changed")
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
          ...(options.before !== undefined && { before: options.before }),
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
          print(paint("dim", `older ones: spliced history --before ${last.changeId}`));
      });
    });
}

function line({
  changeId,
  time,
  path,
  author,
  added,
  removed,
  message,
  undone,
  undoes,
  version,
}: Told): string {
  const notes = [
    ...(undoes === undefined ? [] : [`undoes ${undoes}`]),
    ...(undone ? ["undone"] : []),
    ...(message === undefined ? [] : [message]),
  ].join("; ");
  const sizes = `${paint("green", `+${added}`)} ${paint("red", `-${removed}`)}`;
  const when = paint("dim", time.slice(0, 19).replace("T", " "));
  return `${when}  ${paint("yellow", changeId)}  ${path} ${version}  ${paint("cyan", author)}  ${sizes}  ${notes}`.trimEnd();
}

function takingBack(program: Command, what: "undo" | "redo", description: string): void {
  program
    .command(what)
    .description(description)
    .argument("[change]", "its id, as spliced history, spliced watch and the results of edits tell it")
    .option("--batch <id>", "all changes of this batch")
    .option("--by <agent>", "the newest change of this agent; disk for what came from files")
    .option("--in <path>", "the newest change of this document")
    .option("-m, --message <why>", "why, in up to 80 characters; shown in the history")
    .option("--durable", "answer when the edit is safe in the store, without waiting for the file")
    .action((changeId: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<EditOptions & { batch?: string; by?: string; in?: string }>();
      return talk(options, async ({ client, pathOf }) => {
        const params: Params<"undo"> = {
          ack: options.durable ? "durable" : "mirrored",
          ...(changeId !== undefined && { changeId }),
          ...(options.batch !== undefined && { batchId: options.batch }),
          ...(options.by !== undefined && { agent: options.by }),
          ...(options.in !== undefined && { path: pathOf(options.in) }),
          ...(options.message !== undefined && { message: options.message }),
        };
        const done = await client.request(what, params);
        if (options.json) return printJson(done);
        for (const one of done.files ?? [done]) report(one, options);
      });
    });
}

function blameCommand(program: Command): void {
  program
    .command("blame")
    .description("show who wrote each part of a document")
    .argument("<path>")
    .option("-l, --lines <from-to>", "only these lines", parseLines)
    .action((path: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common & { lines?: [number, number] }>();
      return talk(options, async ({ client, pathOf }) => {
        const { lines } = options;
        const blamed = await client.request("blame", { path: pathOf(path), ...(lines && { lines }) });
        if (options.json) return printJson(blamed);
        const { text } = await client.request("doc.read", { path: pathOf(path) });
        const chars = Array.from(text);
        const width = Math.max(0, ...blamed.runs.map(({ author }) => author?.length ?? 0));
        for (const { from, to, line, author, changeId, time } of blamed.runs) {
          const who = `${paint("cyan", (author ?? "").padEnd(width))} ${paint("dim", `${time?.slice(0, 10) ?? "older"} ${changeId ?? ""}`)}`;
          for (const [i, part] of chars.slice(from, to).join("").split("\n").entries())
            if (part !== "") print(`${who} ${String(line + i).padStart(5)}  ${part}`);
        }
      });
    });
}

function restoreCommand(program: Command): void {
  program
    .command("restore")
    .description("bring a deleted document back, or make a document what it was at a version")
    .argument("<path>")
    .argument("[version]", "as spliced history tells it")
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
    .description("note what all documents are, and come back to it");
  checkpoint
    .command("create")
    .description("note the versions of all documents under a name")
    .argument("<name>")
    .action((name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const made = await client.request("checkpoint.create", { name });
        if (options.json) printJson(made);
        else print(`${paint("green", "✓")} ${made.name}: ${made.documents} documents`);
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
        for (const { name, time, author, documents } of listed.checkpoints)
          print(
            `${paint("dim", time.slice(0, 19).replace("T", " "))}  ${name}  ${documents} documents, by ${author}`,
          );
      });
    });
  checkpoint
    .command("restore")
    .description("make all documents what they were; nothing is erased, documents made since stay")
    .argument("<name>")
    .action((name: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Common>();
      return talk(options, async ({ client }) => {
        const done = await client.request("checkpoint.restore", { name });
        if (options.json) return printJson(done);
        for (const path of done.restored) print(`${paint("green", "✓")} ${path}`);
        for (const { path, message } of done.failed) print(`${paint("red", "✗")} ${path}: ${message}`);
        print(
          `${done.restored.length} restored, ${done.unchanged} as they were, ${done.newer.length} newer ones left alone`,
        );
      });
    });
}
