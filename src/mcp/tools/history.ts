import { z } from "zod";
import { RefusedError } from "../../client/errors.ts";
import type { Agent } from "../agent.ts";
import { authorLabel, authorNames, hunksOf } from "../answer-text.ts";
import type { SeenChange } from "../seen-versions.ts";
import { defineTool } from "../tool.ts";
import { id, linesArgument, pathArgument, versionArgument } from "./arguments.ts";

/** Changes named at once. */
const MOST_NAMED = 20;

/** Tools that tell what became of documents. */

export const diffTool = defineTool({
  name: "diff",
  description:
    "Shows what changed in a document between two versions, whoever changed it: by default from the version that " +
    "you saw first in this session to now, your own edits included.",
  reads: true,
  schema: z.strictObject({
    path: pathArgument,
    from: versionArgument.optional(),
    to: versionArgument.optional(),
  }),
  example: { path: "notes.md" },
  async run(agent, { path, from, to }) {
    const { sight, now } = await agent.seen.current(path);
    const [a, b] = [from ?? sight.first, to ?? now.version];
    const { diff } = await agent.caller.request("doc.diff", { path: now.path, from: a, to: b });
    const shown = hunksOf(diff);
    return shown === ""
      ? `${now.path}: versions ${a} and ${b} are the same text`
      : `${now.path}, ${a} to ${b}:\n${shown}`;
  },
});

export const changesSinceTool = defineTool({
  name: "changes_since",
  description:
    "Tells who changed what in a document since you last saw it (or since a version), and counts as having seen " +
    "it. Without a path: which of the documents that you saw have changed.",
  reads: true,
  schema: z.strictObject({ path: pathArgument.optional(), version: versionArgument.optional() }),
  example: { path: "notes.md" },
  run: async (agent, { path, version }) =>
    path === undefined ? changedDocuments(agent) : changesOf(agent, path, version),
});

export const historyTool = defineTool({
  name: "history",
  description:
    "Lists changes, newest first, with their ids for undo: of one document or of all, of everybody or of one agent.",
  reads: true,
  schema: z.strictObject({
    path: pathArgument.optional(),
    agent: z.string().min(1).max(100).optional().describe("Its name; disk for what was saved to files."),
    limit: z.int().min(1).max(100).optional().describe("Default: 20."),
    before: id.optional().describe("A changeId: only changes older than it."),
  }),
  example: { path: "notes.md", limit: 5 },
  async run({ caller }, { path, agent, limit = MOST_NAMED, before }) {
    const { changes, more } = await caller.request("history.list", {
      limit,
      ...(path !== undefined && { path }),
      ...(agent !== undefined && { agent }),
      ...(before !== undefined && { before }),
    });
    if (changes.length === 0) return "no changes";
    const older = more ? [`… older ones with before: ${JSON.stringify(changes.at(-1)!.changeId)}`] : [];
    return [...changes.map(changeLine), ...older].join("\n");
  },
});

export const blameTool = defineTool({
  name: "blame",
  description:
    "Tells who wrote each part of a document, and in which change, with the line on which it begins.",
  reads: true,
  schema: z.strictObject({ path: pathArgument, lines: linesArgument.optional() }),
  example: { path: "notes.md", lines: [1, 40] },
  async run({ caller }, { path, lines }) {
    const [from, to] = lines ?? [];
    const { runs } = await caller.request("blame", {
      path,
      ...(from !== undefined && to !== undefined && { lines: [from, to] }),
    });
    if (runs.length === 0) return "nothing is there";
    const said = runs
      .slice(0, MOST_RUNS)
      .map(
        ({ line, from, to, author, changeId, time, message }) =>
          `line ${line}, ${to - from} characters: ${author}, ${time}, ${changeId}${message === undefined ? "" : `, ${message}`}`,
      );
    if (runs.length > MOST_RUNS) said.push(`… ${runs.length - MOST_RUNS} more; give lines to see fewer`);
    return said.join("\n");
  },
});

const MOST_RUNS = 200;

function changeLine({
  changeId,
  path,
  version,
  author,
  time,
  added,
  removed,
  message,
  undone,
  undoes,
}: SeenChange): string {
  const notes = [
    ...(undoes === undefined ? [] : [`undoes ${undoes}`]),
    ...(undone ? ["undone"] : []),
    ...(message === undefined ? [] : [JSON.stringify(message)]),
  ];
  return `${changeId}  ${path}  ${version}  ${authorLabel(author)}  ${time}  +${added} -${removed}  ${notes.join(", ")}`.trimEnd();
}

async function changesOf(agent: Agent, path: string, version: string | undefined): Promise<string> {
  const { sight, now } = await agent.seen.current(path);
  const from = version ?? sight.version;
  if (from === now.version) return `${now.path}: nothing, it is still version ${from}`;
  const { changes, more } = await agent.seen.since(now.path, from);
  const earlier = changes.length > MOST_NAMED || more;
  const lines = changes.slice(-MOST_NAMED).map(changeLine);
  const hunks = await agent.hunks(now.path, from, now.version);
  agent.seen.sawChanges(now, sight.whole);
  return [`${now.path}, ${from} to ${now.version}:`, ...(earlier ? ["…"] : []), ...lines, hunks].join("\n");
}

async function changedDocuments({ caller, seen: sights }: Agent): Promise<string> {
  const changed: string[] = [];
  for (const { path, docId, version } of sights.all()) {
    const now = await caller.request("doc.open", { path }).catch(ignoreRefusal);
    if (now?.docId !== docId) changed.push(`${path}  was deleted or moved`);
    else if (now.version !== version)
      changed.push(`${path}  since ${version}, by ${authorNames(await sights.since(path, version))}`);
  }
  return changed.length === 0 ? "none of the documents that you saw" : changed.join("\n");
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof RefusedError)) throw error;
}
