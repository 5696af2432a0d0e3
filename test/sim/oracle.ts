import { encode } from "../../src/mirror/format.ts";
import { type ChangeRecord, firstSeqOf } from "../../src/store/store.ts";
import { invert, spliceProblem } from "../../src/text/splice.ts";
import type { Document } from "../../src/workspace/document/document.ts";
import { isRefusal } from "../../src/workspace/outcome/refusal.ts";
import { digestNow } from "../../src/workspace/versions/digest.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";
import type { Agent } from "./agent.ts";
import type { World } from "./world.ts";

/** Rounds of 100 ms each, after which work that has not ended never will. */
const PATIENCE = 400;
/**
 * The time in which the daemon must find a change of the file without any hint, and try again what its store refused;
 * milliseconds.
 */
const FOUND_MS = 3000;

/** Waits until all work has ended, and returns the document; work that does not end is a problem. */
export async function rest(world: World, agents: readonly Agent[]): Promise<Document | undefined> {
  const { clock } = world;
  for (const until = clock.elapsed() + FOUND_MS; clock.elapsed() < until; ) await world.pump();
  let opened: Document | undefined;
  let refused = "";
  const opening = world.process?.workspace.open(world.path).then((document) => {
    if (isRefusal(document)) refused = document.message;
    else opened = document;
  });
  opening?.catch((error: unknown) => world.wrong(`open threw ${String(error)}`));
  const resting = () =>
    opened?.restful === true && world.store.waiting === 0 && agents.every(({ idle }) => idle);
  for (let i = 0; i < PATIENCE && !resting() && refused === ""; i++) await world.pump();
  if (refused !== "") world.wrong(`the document cannot be opened: ${refused}`);
  else if (opened === undefined) world.wrong("the document is never opened");
  else if (!resting()) world.wrong(`no rest: ${opened.pendingWrites} writes pending`);
  return opened;
}

/** Checks the promises that hold when all work has ended. */
export function judge(world: World, document: Document): void {
  const text = document.text.toString();
  for (const problem of world.ledger.problems(text, historyOf(world.store))) world.wrong(problem);
  for (const problem of world.stale.problems(text)) world.wrong(problem);
  const file = world.disk.text(world.path);
  if (file !== Buffer.concat(encode(document.content)).toString("utf8"))
    world.wrong("the file is not what memory holds");
  if (file !== Buffer.concat(encode(document.known())).toString("utf8"))
    world.wrong("the disk replica is not what the file holds");
  const followed = world.follower.connected ? world.follower.text : undefined;
  if (followed !== undefined && followed !== text) world.wrong("a subscriber ends with another text");
  judgeHistory(world, document);
}

/** Returns all text that was ever inserted into a document. */
function historyOf(store: MemoryStore): string {
  const changes = store.documents().flatMap(({ id }) => store.everyChangeOf(id));
  return changes.flatMap(({ splices }) => splices.map(({ insert }) => insert)).join("");
}

function judgeHistory(world: World, document: Document): void {
  const { store } = world;
  const entries = [...store.changes(document.id)];
  const changes = store.everyChangeOf(document.id).reverse();
  for (const problem of [historyProblem(document, entries), historyProblem(document, changes)])
    if (problem !== undefined) world.wrong(problem);
  for (const change of changes) {
    const found = store.find(change.id);
    if (found?.seq !== change.seq || found.docId !== document.id) world.wrong(`${change.id} is not found`);
  }
  for (const entry of entries) judgeEntry(world, entry, changes);
  for (const [version, text] of world.heard.get(document.id) ?? []) {
    const change = document.versions.find(version);
    const then = change && document.versions.textAt(change.seq);
    if (then?.toString() !== text) world.wrong(`version ${version} is not what it was`);
  }
}

/** Checks that an entry is of the author of each of its changes. */
function judgeEntry(world: World, entry: ChangeRecord, changes: readonly ChangeRecord[]): void {
  const parts = changes.filter(({ seq }) => firstSeqOf(entry) <= seq && seq <= entry.seq);
  for (const { id } of parts) {
    const author = world.authors.get(id) ?? entry.author;
    if (author !== entry.author) world.wrong(`${id} of ${author} is in an entry of ${entry.author}`);
  }
}

/** Undoes each change, newest first: the result must be the text of the change before. */
function historyProblem(document: Document, changes: readonly ChangeRecord[]): string | undefined {
  let { text } = document;
  let next: ChangeRecord | undefined;
  for (const change of changes) {
    if (next !== undefined) {
      if (change.seq !== firstSeqOf(next) - 1) return `change ${next.seq} follows ${change.seq}`;
      const back = invert(next.splices, next.removed);
      if (spliceProblem(back, text.chars) !== undefined) return `change ${next.seq} cannot be taken back`;
      text = text.splice(back);
    }
    const hashes = [true, false].map((bom) => digestNow({ bom, text }));
    if (change.sha256 !== undefined && !hashes.includes(change.sha256))
      return `change ${change.seq} made another text`;
    next = change;
  }
  return next === undefined || next.seq === 0 ? undefined : `the history begins with change ${next.seq}`;
}
