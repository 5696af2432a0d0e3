import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { withGivenToken } from "../../client/given-token.ts";
import { provenDaemon } from "../../client/prove.ts";
import { printText } from "../output.ts";
import { talkTo } from "../session.ts";

/** The things that only a daemon knows, and that a command line names. */
export const LISTS = ["documents", "changes", "proposals", "checkpoints", "lanes"] as const;
export type ListKind = (typeof LISTS)[number];

/** The commands whose arguments name the items of each list. */
const NAMED: Readonly<Record<ListKind, readonly string[]>> = {
  documents: [
    ...["cat", "diff", "blame", "history", "restore", "open", "proposals", "propose"],
    ...["replace", "patch", "append", "write", "set", "mv", "rm"],
  ],
  changes: ["undo", "redo"],
  proposals: ["approve", "reject"],
  checkpoints: ["checkpoint restore"],
  lanes: ["lane rm"],
};

/**
 * Returns the kind of things that a command's arguments name at a place; undefined for files and for any other words.
 */
export function listAt(at: string): ListKind | undefined {
  return LISTS.find((kind) => NAMED[kind].includes(at));
}

/** The command with which the scripts ask for a list. */
export const LIST_COMMAND = "__list";
/** The most words of a list. */
const MOST = 500;
const MOST_CHANGES = 100;

/** A word to complete, and its description. */
type Completion = readonly [word: string, about?: string];

/** Adds the hidden command that prints the words of a list, one a line, with a tab before its description. */
export function listCommand(program: Command): void {
  program
    .command(LIST_COMMAND, { hidden: true })
    .argument("<kind>")
    .argument("[begin]", "the beginning of the word", "")
    .action(async (kind: ListKind, begin: string) => {
      // A shell completes files where no daemon runs.
      const located = await provenDaemon(process.cwd()).catch(() => undefined);
      if (located === undefined) return;
      await talkTo(withGivenToken(located), {}, async ({ client, pathOf }) => {
        const found: Completion[] = [];
        if (kind === "documents") {
          const folder = begin.slice(0, begin.lastIndexOf("/") + 1);
          const at = folder === "" ? pathOf(".") : pathOf(folder);
          const pattern = at === "" ? "**" : `${at.replace(/[\\*?[\]{}]/g, "\\$&")}/**`;
          const { docs } = await client.request("doc.list", { pattern });
          const typed = (path: string) => relative(process.cwd(), resolve(located.tree, path));
          found.push(...docs.map(({ path }): Completion => [typed(path)]));
        }
        if (kind === "changes") {
          const { changes } = await client.request("history.list", { limit: MOST_CHANGES });
          for (const { changeId, path, author, message = "" } of changes)
            found.push([changeId, `${path} ${author} ${message}`.trim()]);
        }
        if (kind === "proposals") {
          const { proposals } = await client.request("proposal.list", { status: "pending" });
          for (const { id, path, author } of proposals) found.push([id, `${path} ${author}`]);
        }
        if (kind === "checkpoints") {
          const { checkpoints } = await client.request("checkpoint.list", {});
          for (const { name, time } of checkpoints) found.push([name, time]);
        }
        if (kind === "lanes") {
          const { lanes } = await client.request("lane.list", {});
          for (const { name, folder } of lanes) found.push([name, folder]);
        }
        const lines = found
          .filter(([word]) => word.startsWith(begin) && !/[\t\n]/.test(word))
          .slice(0, MOST)
          .map((parts) => parts.map((part = "") => part.replace(/\s/g, " ")).join("\t"));
        if (lines.length > 0) printText(lines.join("\n"));
      });
    });
}
