import { z } from "zod";
import type { Agent } from "../agent.ts";
import { hunksOf, names } from "../shown.ts";
import { authorsOf, newsAfter, type Sight } from "../sights.ts";
import { tool } from "../tool.ts";
import { path, version } from "./fields.ts";

/** Tools that tell what became of documents. */

export const diff = tool({
  name: "diff",
  description:
    "Shows what changed in a document between two versions, whoever changed it: by default from the version that " +
    "you saw first in this session to now, your own edits included.",
  reads: true,
  schema: z.strictObject({ path, from: version.optional(), to: version.optional() }),
  example: { path: "notes.md" },
  async run(agent, { path, from, to }) {
    const { sight, now } = await agent.sights.look(path);
    const [a, b] = [from ?? sight.first, to ?? now.version];
    const { diff } = await agent.caller.request("doc.diff", { path: now.path, from: a, to: b });
    const shown = hunksOf(diff);
    return shown === ""
      ? `${now.path}: versions ${a} and ${b} are the same text`
      : `${now.path}, ${a} to ${b}:\n${shown}`;
  },
});

export const changesSince = tool({
  name: "changes_since",
  description:
    "Tells who changed what in a document since you last saw it (or since a version), and counts as having seen " +
    "it. Without a path: which of the documents that you saw have changed.",
  reads: true,
  schema: z.strictObject({ path: path.optional(), version: version.optional() }),
  example: { path: "notes.md" },
  run: async (agent, { path, version }) =>
    path === undefined ? changedDocuments(agent) : changesOf(agent, path, version),
});

async function changesOf(agent: Agent, path: string, since: string | undefined): Promise<string> {
  const { sight, now } = await agent.sights.look(path);
  const from = since ?? sight.version;
  if (from === now.version) return `${now.path}: nothing, it is still version ${from}`;
  const { diff } = await agent.caller.request("doc.diff", { path: now.path, from, to: now.version });
  const changes = since === undefined || since === sight.version ? newsOf(sight) : [];
  agent.sights.shown(now.path, now.version);
  return [`${now.path}, ${from} to ${now.version}:`, ...changes, hunksOf(diff)].join("\n");
}

/** Changes named one by one. */
const MOST_NAMED = 20;

function newsOf({ news, version, missed }: Sight): string[] {
  const changes = newsAfter(news, version);
  const named = changes.slice(-MOST_NAMED).map(({ author, changeId }) => `${changeId} by ${names([author])}`);
  const more = changes.length - named.length;
  return more > 0 || missed ? [`… and changes before these${more > 0 ? `: ${more}` : ""}`, ...named] : named;
}

function changedDocuments({ sights }: Agent): string {
  const changed = sights.all().flatMap((sight) => {
    const news = newsAfter(sight.news, sight.version);
    if (news.length === 0 && !sight.missed) return [];
    return [`${sight.path}  since ${sight.version}, by ${names(authorsOf(news))}`];
  });
  return changed.length === 0 ? "none of the documents that you saw" : changed.join("\n");
}
