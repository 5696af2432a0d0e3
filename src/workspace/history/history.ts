import { setImmediate } from "node:timers/promises";
import { type ChangeRecord, type DocumentRecord, firstSeqOf, type Seq } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Document } from "../document/document.ts";
import { type ChangeSummary, changeSummary } from "../events/change-summary.ts";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { unknownChange, unknownVersion } from "../outcome/refusals.ts";
import { type Version, versionOf } from "../versions/version.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import { Blame, type BlameRun } from "./blame.ts";
import { type TimelineEntry, timeline } from "./timeline.ts";

/** Selects changes of the history. */
interface HistoryQuery {
  readonly path?: string | undefined;
  /** The name or the identity of an agent; `disk` for edits that came from files. */
  readonly agent?: string | undefined;
  /** The id of a change; the result contains only older ones. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A change in the history. */
interface HistoryEntry extends ChangeSummary {
  /** The version before the change; null for the first change of a document. */
  readonly previous: Version | null;
  readonly undone: boolean;
  /** For several edits that were folded into one change: when the first was made (ISO 8601), and their number. */
  readonly began?: string;
  readonly edits?: number;
}

/** The changes of a document after a version. */
export interface ChangesSince {
  readonly version: Version;
  /** The newest changes, oldest first. */
  readonly changes: HistoryEntry[];
  /** True if there are older changes after the version. */
  readonly more: boolean;
  /** All changes as one edit, in the positions of `base`, the text at the version. */
  readonly splices: readonly Splice[];
  readonly base: Text;
}

/** The blame of a document up to a change, with the entries up to `folded`; later calls add the changes since then. */
interface Known {
  seq: Seq;
  folded: Seq;
  readonly blame: Blame;
}

/** The changes that a first blame reads before other connections get a turn. */
const BLAMED_AT_ONCE = 1_000;

/** The most changes that `since` lists. */
const MOST_LISTED = 100;

/** Reads the changes of a workspace's documents. */
export class History {
  readonly #workspace: Workspace;
  readonly #blames = new WeakMap<Document, Known>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Returns the selected changes, newest first; `more` is true if there are older ones. */
  async list(
    workspace: GuardedWorkspace,
    query: HistoryQuery,
  ): Promise<Outcome<{ changes: HistoryEntry[]; more: boolean }>> {
    const records = await this.#recordsOf(workspace, query);
    if (isRefusal(records)) return records;
    const { store } = this.#workspace.ports;
    if (query.before !== undefined && !workspace.knowsChange(query.before))
      return unknownChange(query.before);
    const before = query.before === undefined ? undefined : this.#entryWith(query.before)?.id;
    let isOlder = query.before === undefined;
    const changes: HistoryEntry[] = [];
    for await (const entry of timeline(store, records)) {
      const isSelected = isOlder && !isFirstReading(entry, query) && mayBeBy(entry.change, query.agent);
      if (entry.change.id === before) isOlder = true;
      if (!isSelected) continue;
      if (changes.length === query.limit) return { changes, more: true };
      changes.push(historyEntry(entry));
    }
    return { changes, more: false };
  }

  /** Returns the changes of a document after a version. */
  async since(document: Document, version: Version): Promise<Outcome<ChangesSince>> {
    const change = document.versions.find(version);
    const splices = change && document.versions.since(change.seq);
    const base = change && document.versions.textAt(change.seq);
    if (change === undefined || splices === undefined || base === undefined)
      return unknownVersion(document, version);
    const changes: HistoryEntry[] = [];
    const { id, path, head, versions } = document;
    await stored([document]);
    const record = this.#workspace.ports.store.document(id);
    let more = false;
    for await (const entry of timeline(this.#workspace.ports.store, record ? [{ ...record, path }] : [])) {
      if (entry.change.seq <= change.seq) break;
      if (entry.change.seq > head.seq) continue;
      more = changes.length === MOST_LISTED;
      if (more) break;
      changes.push(historyEntry(startingAfter(change, entry, versions)));
    }
    return { version, changes: changes.reverse(), more, splices, base };
  }

  /** Yields the changes of the selected documents, newest first. */
  async *entries(
    workspace: GuardedWorkspace,
    query: Pick<HistoryQuery, "path"> & {
      /** True to include the changes of documents that are ignored by now. */
      readonly withIgnored?: boolean;
    },
  ): AsyncGenerator<TimelineEntry> {
    const records = await this.#recordsOf(workspace, query);
    if (!isRefusal(records)) yield* timeline(this.#workspace.ports.store, records);
  }

  /** Reads the changes of a long history that `blame` needs. Other connections get turns meanwhile (I14). */
  async readyToBlame(document: Document): Promise<void> {
    while (this.#blamed(document, BLAMED_AT_ONCE).seq < document.head.seq) await setImmediate();
  }

  /** Returns the parts of a document's text in their order, each with the change that inserted it. */
  blame(document: Document): readonly BlameRun[] {
    return this.#blamed(document).blame.runsOf(document.text.chars);
  }

  /** Returns the blame of a document after `most` more changes, or up to the newest. */
  #blamed(document: Document, most = Number.POSITIVE_INFINITY): Known {
    const { versions, head } = document;
    let known = this.#blames.get(document);
    if (known === undefined) {
      const first = versions.oldest;
      const blame = new Blame(first.seq === 0 ? first : undefined);
      known = { seq: first.seq, folded: versions.folded, blame };
      this.#blames.set(document, known);
    }
    const { folded, seq: from } = known;
    if (folded < versions.folded)
      known.blame.rename(({ seq }) =>
        seq > folded && seq <= versions.folded ? versions.entry(seq) : undefined,
      );
    known.folded = versions.folded;
    while (known.seq < head.seq && known.seq - from < most) {
      const entry = versions.entry(known.seq + 1);
      const isWhole = entry !== undefined && firstSeqOf(entry) === known.seq + 1;
      const splices = isWhole ? entry.splices : entry && versions.since(known.seq, entry.seq);
      if (splices === undefined) throw new Error(`${document.path} lacks change ${known.seq + 1}`);
      known.blame.apply(entry!, splices);
      known.seq = entry!.seq;
    }
    return known;
  }

  #entryWith(changeId: string): ChangeRecord | undefined {
    const { store } = this.#workspace.ports;
    const found = store.find(changeId);
    return found && store.entry(found.docId, found.seq);
  }

  async #recordsOf(
    workspace: GuardedWorkspace,
    { path, withIgnored = false }: Pick<HistoryQuery, "path"> & { readonly withIgnored?: boolean },
  ): Promise<Outcome<DocumentRecord[]>> {
    const { store } = this.#workspace.ports;
    if (path === undefined) {
      await stored(workspace.loaded);
      const shown = (record: DocumentRecord) => withIgnored || !this.#workspace.isIgnored(record.path);
      return store.documents().filter((record) => workspace.mayRead(record.path) && shown(record));
    }
    const document = await workspace.opened(path);
    if (isRefusal(document)) return document;
    await stored([document]);
    const record = store.document(document.id);
    return record === undefined ? [] : [{ ...record, path: document.path }];
  }
}

/** True for a change of an agent, given by identity or by name; a name with a slash could be another's identity. */
export function isBy(change: ChangeRecord | undefined, agent: string | undefined): boolean {
  if (agent === undefined || change?.agent === agent) return true;
  return change?.author === agent && !agent.includes("/");
}

/** True for a change of an agent, and for a save that may be its. */
function mayBeBy(change: ChangeRecord, agent: string | undefined): boolean {
  if (isBy(change, agent)) return true;
  return change.candidates?.some((id) => id === agent || id.slice(id.indexOf("/") + 1) === agent) ?? false;
}

/** Resolves once the store has saved or refused the changes of documents. */
async function stored(documents: readonly Document[]): Promise<void> {
  await Promise.allSettled(documents.map(({ durable }) => durable));
}

/** True for the first reading of a file; only the history of that one document lists it. */
function isFirstReading({ change }: TimelineEntry, { path }: HistoryQuery): boolean {
  return change.seq === 0 && change.origin === "disk" && change.file === undefined && path === undefined;
}

/** Returns the part of an entry after a change, which may be in the middle of it. */
function startingAfter(change: ChangeRecord, entry: TimelineEntry, versions: VersionHistory): TimelineEntry {
  const { seq, folded } = entry.change;
  if (folded === undefined || folded.first > change.seq) return entry;
  const splices = versions.since(change.seq, seq) ?? entry.change.splices;
  const rest = { ...entry.change, splices, folded: { ...folded, first: change.seq + 1 } };
  return { ...entry, change: rest, previous: change };
}

function historyEntry({ record, change, previous, undone }: TimelineEntry): HistoryEntry {
  const { seq, folded } = change;
  return {
    ...changeSummary(record, change),
    previous: previous === undefined ? null : versionOf(previous),
    undone,
    ...(folded && { began: new Date(folded.began).toISOString(), edits: seq - folded.first + 1 }),
  };
}
