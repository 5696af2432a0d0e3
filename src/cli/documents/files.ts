import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { talk } from "../connection/session.ts";
import { CommandError, EXIT, paint, print, printJson } from "../terminal/output.ts";
import { shellPath } from "../terminal/shell-word.ts";
import { typed } from "../terminal/typed.ts";
import { input, type Reasoned, reasoned, reasonIn } from "./edits.ts";
import { printCreated, printProposed } from "./proposed.ts";

/** Adds the commands that create, move and delete documents. */
export function fileCommands(program: Command): void {
  reasoned(program.command("new"))
    .description("create a document, with the folders that it needs")
    .argument("<path>", "the document")
    .argument("[text]", "its text; - reads standard input", "")
    .action((path: string, given: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Reasoned>();
      if (path.endsWith("/"))
        throw new CommandError(EXIT.usage, `${path} names a folder; name the document in it, too`);
      const text = given === "-" ? input() : given === "" || given.endsWith("\n") ? given : `${given}\n`;
      return talk(options, async ({ client, pathOf }) => {
        const made = await client.request("doc.create", { path: pathOf(path), text, ...reasonIn(options) });
        if (options.json) printJson(made);
        else printCreated(made);
      });
    });

  reasoned(program.command("mv"))
    .description("move or rename a document, which keeps its history")
    .argument("<path>", "the document")
    .argument("<to>", "its new path, or a folder to move it into")
    .action((path: string, to: string, _options, command: Command) => {
      const options = command.optsWithGlobals<Reasoned>();
      return talk(options, async ({ client, pathOf }) => {
        const target = isFolder(to) ? join(to, basename(path)) : to;
        const moved = await client.request("doc.rename", {
          path: pathOf(path),
          to: pathOf(target),
          ...reasonIn(options),
        });
        if (options.json) printJson(moved);
        else if (moved.proposal !== undefined) printProposed(moved.path, moved.proposal);
        else print(`${paint("green", "moved")} ${pathOf(path)} → ${moved.path}`);
      });
    });

  reasoned(program.command("rm").alias("remove"))
    .description("delete documents; their history stays, and restore returns them")
    .argument("<path...>", "the documents")
    .action((paths: readonly string[], _options, command: Command) =>
      remove(paths, command.optsWithGlobals<Reasoned>()),
    );
}

/** Deletes documents one by one, up to the first that is refused. @throws CommandError with the ones before it */
async function remove(paths: readonly string[], options: Reasoned): Promise<void> {
  const deleted: string[] = [];
  const proposals: string[] = [];
  const answer = () => ({ deleted, ...(proposals.length > 0 && { proposals }) });
  try {
    await talk(options, async ({ client, pathOf }) => {
      for (const path of paths) {
        const done = await client.request("doc.delete", { path: pathOf(path), ...reasonIn(options) });
        if (done.proposal === undefined) deleted.push(done.path);
        else proposals.push(done.proposal);
        if (options.json) continue;
        if (done.proposal !== undefined) printProposed(done.path, done.proposal);
        else
          print(
            `${paint("red", "deleted")} ${done.path} (return it with: ${typed("spliced restore")} ${shellPath(path)})`,
          );
      }
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(error.exitCode, error.message, error.hint, error.refusal, answer());
  }
  if (options.json) printJson(answer());
}

function isFolder(to: string): boolean {
  return to.endsWith("/") || (existsSync(to) && statSync(to).isDirectory());
}
