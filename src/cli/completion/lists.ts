import { relative, resolve } from "node:path";
import type { Command } from "commander";
import type { BriefClient } from "../../client/brief.ts";
import { withGivenToken } from "../../client/given-token.ts";
import { documentPath } from "../../client/locate.ts";
import { provenDaemon } from "../../client/prove.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { talkTo } from "../connection/session.ts";
import { printText } from "../terminal/output.ts";
import { localTime } from "../terminal/times.ts";

/** The things that only a daemon knows, and the commands whose arguments, or whose options, name them. */
const NAMED = {
  documents: [
    ...["cat", "diff", "blame", "history", "restore", "open", "proposals", "propose", "chat", "threads"],
    ...["replace", "patch", "append", "write", "set", "mv", "rm", "undo --in", "redo --in", "approve --file"],
  ],
  changes: ["undo", "redo", "history --before"],
  batches: ["undo --batch", "redo --batch"],
  authors: ["undo --by", "redo --by", "history --by", "watch --by"],
  proposals: ["approve", "reject"],
  checkpoints: ["checkpoint restore"],
  lanes: ["lane rm"],
  threads: [
    "chat --thread",
    ...["--resolve", "--reopen", "--stop", "--clear"].map((flag) => `threads ${flag}`),
  ],
  machines: ["machines --remove"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ListKind = keyof typeof NAMED;
const LISTS = Object.keys(NAMED) as ListKind[];

/**
 * Returns the kind of things that a command's arguments name, or those of an option, such as `history --by`; undefined
 * for files and for any other words.
 */
export function listAt(at: string): ListKind | undefined {
  return LISTS.find((kind) => (NAMED[kind] as readonly string[]).includes(at));
}

/** The command with which the scripts ask for a list. */
export const LIST_COMMAND = "__list";
/** The most words of a list. */
const MOST = 500;
const MOST_CHANGES = 100;

/** A word to complete, and its description. */
type Completion = readonly [word: string, about?: string];
type Lister = (client: BriefClient, tree: string, begin: string) => Promise<readonly Completion[]>;

const LISTED: Readonly<Record<ListKind, Lister>> = {
  documents: async (client, tree, begin) => {
    const folder = begin.slice(0, begin.lastIndexOf("/") + 1);
    const at = documentPath(tree, process.cwd(), folder);
    const pattern = at === "" ? "**" : `${at.replace(/[\\*?[\]{}]/g, "\\$&")}/**`;
    const { docs } = await client.request("doc.list", { pattern });
    return docs.map(({ path }) => [relative(process.cwd(), resolve(tree, path))]);
  },
  changes: async (client) =>
    (await newest(client)).map(({ changeId, path, author, message = "" }) => [
      changeId,
      `${path} ${author} ${message}`.trim(),
    ]),
  batches: async (client) => {
    const made = (await newest(client)).flatMap(({ batchId, path, author }) =>
      batchId === undefined ? [] : [[batchId, `${path} ${author}`] as const],
    );
    return [...new Map(made)];
  },
  authors: async (client) =>
    [...new Set((await newest(client)).map(({ author }) => author))].map((name) => [name]),
  proposals: async (client) => {
    const { proposals } = await client.request("proposal.list", { status: "pending" });
    return proposals.map(({ id, path, author }) => [id, `${path} ${author}`]);
  },
  checkpoints: async (client) => {
    const { checkpoints } = await client.request("checkpoint.list", {});
    return checkpoints.map(({ name, time }) => [name, localTime(time)]);
  },
  lanes: async (client) => {
    const { lanes } = await client.request("lane.list", {});
    return lanes.map(({ name, folder }) => [name, folder]);
  },
  threads: async (client) => {
    const { threads } = await client.request("thread.list", {});
    return threads.map(({ id, last }) => [id, `${last.author} ${localTime(last.time)}`]);
  },
  machines: async (client) => {
    const { machines } = await client.request("machine.list", {});
    return machines.map(({ name, machine }) => [machine, name]);
  },
};

/** Returns the newest changes. */
async function newest(client: BriefClient): Promise<Result<"history.list">["changes"]> {
  return (await client.request("history.list", { limit: MOST_CHANGES })).changes;
}

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
      await talkTo(withGivenToken(located), {}, async ({ client }) => {
        const found = await LISTED[kind](client, located.tree, begin);
        const lines = found
          .filter(([word]) => word.startsWith(begin) && !/[\t\n]/.test(word))
          .slice(0, MOST)
          .map((parts) => parts.map((part = "") => part.replace(/\s/g, " ")).join("\t"));
        if (lines.length > 0) printText(lines.join("\n"));
      });
    });
}
