import { z } from "zod";
import { RefusedError } from "../../client/errors.ts";
import type { Agent } from "../agent.ts";
import { authorLabel, hunksOf, namesOfAuthors, onMachine, type SeenChange } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { idArgument, linesArgument, pathArgument, versionArgument } from "./arguments.ts";

/** Most changes in one answer, unless the model asks for more. */
const MOST_NAMED = 20;

export const diffTool = defineTool({
  name: "compare_versions",
  formerly: "diff",
  title: "Compare versions",
  description:
    "Shows how two versions of a document differ. Default: from the version that you saw first to the newest.",
  reads: true,
  schema: z.strictObject({
    path: pathArgument,
    from: versionArgument.optional(),
    to: versionArgument.optional(),
  }),
  example: { path: "notes.md" },
  async run(agent, { path, from, to }) {
    const now = await agent.caller.request("doc.open", { path });
    const seen = await agent.seen(path);
    const [a, b] = [from ?? seen?.first ?? now.version, to ?? now.version];
    const { diff } = await agent.caller.request("doc.diff", { path: now.path, from: a, to: b });
    const shown = hunksOf(diff);
    return shown === ""
      ? `${now.path}: versions ${a} and ${b} have the same text.`
      : `${now.path}, ${a} to ${b}:\n${shown}`;
  },
});

export const changesSinceTool = defineTool({
  name: "changes_since_read",
  formerly: "changes_since",
  title: "Changes since the last read",
  description:
    "Lists the changes of a document since you last saw it, or since a version. Without a path, it lists the documents " +
    "that changed since you saw them.",
  reads: true,
  schema: z.strictObject({ path: pathArgument.optional(), version: versionArgument.optional() }),
  example: { path: "notes.md" },
  run: async (agent, { path, version }) =>
    path === undefined ? changedDocuments(agent) : changesOf(agent, path, version),
});

export const historyTool = defineTool({
  name: "list_changes",
  formerly: "history",
  title: "List changes",
  description: "Lists changes, newest first, with their ids for undo_change.",
  reads: true,
  schema: z.strictObject({
    path: pathArgument.optional(),
    agent: z.string().min(1).max(100).optional().describe("An author's name; disk for saves of files."),
    limit: z.int().min(1).max(100).optional(),
    before: idArgument.optional().describe("A changeId; the answer has older ones."),
  }),
  example: { path: "notes.md", limit: 5 },
  async run({ caller }, { path, agent, limit = MOST_NAMED, before }) {
    const { changes, more } = await caller.request("history.list", {
      limit,
      ...(path !== undefined && { path }),
      ...(agent !== undefined && { agent }),
      ...(before !== undefined && { before }),
    });
    if (changes.length === 0) return "There are no changes.";
    const older = more
      ? [`… for older changes, pass before: ${JSON.stringify(changes.at(-1)!.changeId)}`]
      : [];
    return [...changes.map(changeLine), ...older].join("\n");
  },
});

export const blameTool = defineTool({
  name: "show_authors",
  formerly: "blame",
  title: "Show authors",
  description: "Lists the parts of a document with their authors and changes.",
  reads: true,
  schema: z.strictObject({ path: pathArgument, lines: linesArgument.optional() }),
  example: { path: "notes.md", lines: [1, 40] },
  async run({ caller }, { path, lines }) {
    const [from, to] = lines ?? [];
    const { runs } = await caller.request("blame", {
      path,
      ...(from !== undefined && to !== undefined && { lines: [from, to] }),
    });
    if (runs.length === 0) return "There is no text in this range.";
    const parts = runs
      .slice(0, MOST_RUNS)
      .map(
        ({ line, from, to, author, machine, changeId, time, message }) =>
          `line ${line}, ${to - from} characters: ${author}${onMachine(machine)}, ${time}, ${changeId}${message === undefined ? "" : `, ${message}`}`,
      );
    if (runs.length > MOST_RUNS)
      parts.push(`… ${runs.length - MOST_RUNS} more parts; pass lines to see a range.`);
    return parts.join("\n");
  },
});

const MOST_RUNS = 200;

function changeLine({
  changeId,
  path,
  version,
  author,
  machine,
  time,
  kind,
  from,
  to,
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
  const done = {
    edit: `+${added} -${removed}`,
    create: "created",
    delete: "deleted",
    rename: `renamed ${from} → ${to}`,
  }[kind];
  return `${changeId}  ${path}  ${version}  ${authorLabel(author)}${onMachine(machine)}  ${time}  ${done}  ${notes.join(", ")}`.trimEnd();
}

async function changesOf(agent: Agent, path: string, version: string | undefined): Promise<string> {
  const now = await agent.caller.request("doc.open", { path });
  const from = version ?? (await agent.seen(path))?.version ?? now.version;
  if (from === now.version) return `${now.path}: no changes since version ${from}.`;
  const { changes, more } = await (version === undefined
    ? agent.since(now.path, from)
    : agent.sinceStored(now.path, from));
  const earlier = changes.length > MOST_NAMED || more;
  const lines = changes.slice(-MOST_NAMED).map(changeLine);
  const hunks = await agent.hunks(now.path, from, now.version);
  await agent.caller.request("seen.told", { path: now.path, version: now.version });
  return [`${now.path}, ${from} to ${now.version}:`, ...(earlier ? ["…"] : []), ...lines, hunks].join("\n");
}

async function changedDocuments(agent: Agent): Promise<string> {
  const changed: string[] = [];
  const { docs } = await agent.caller.request("seen.list", {});
  for (const { path, docId, version } of docs) {
    const now = await agent.caller.request("doc.open", { path }).catch(ignoreRefusal);
    if (now?.docId !== docId) changed.push(`${path}  was deleted or moved`);
    else if (now.version !== version)
      changed.push(
        `${path}  changed since ${version} by ${namesOfAuthors(await agent.since(path, version))}`,
      );
  }
  return changed.length === 0 ? "No document that you saw has changed." : changed.join("\n");
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof RefusedError)) throw error;
}
