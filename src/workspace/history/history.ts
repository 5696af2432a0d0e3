import type { ChangeRecord, DocumentRecord, Seq } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Document } from "../document/document.ts";
import { type ChangeSummary, changeSummary } from "../events/change-summary.ts";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { unknownChange, unknownVersion } from "../outcome/refusals.ts";
import { type Version, versionOf } from "../versions/version.ts";
import { Blame, type BlameRun } from "./blame.ts";
import { type TimelineEntry, timeline } from "./timeline.ts";

/** Which changes are asked for. */
export interface HistoryQuery {
  readonly path?: string | undefined;
  /** The name of an agent, or its id; `disk` for what came from files. */
  readonly agent?: string | undefined;
  /** The id of a change: only older ones are told. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** Leaves documents out. */
  readonly hides: (path: string) => boolean;
}

/** A change as the history tells it. */
export interface HistoryEntry extends ChangeSummary {
  /** Null for how the document began. */
  readonly previous: Version | null;
  readonly undone: boolean;
}

/** What was done to a document since somebody saw it. */
export interface ChangesSince {
  readonly version: Version;
  readonly changes: HistoryEntry[];
  readonly more: boolean;
  /** In the positions of `base`, which is the text at the version. */
  readonly splices: readonly Splice[];
  readonly base: Text;
}

/** Changes that are told of one by one since a version. */
const MOST_TOLD = 100;

/** What was done to the documents of a workspace, by whom. Reads only. */
export class History {
  readonly #workspace: Workspace;
  /** Kept from one question to the next; what came since is added. */
  readonly #blames = new WeakMap<Document, { seq: Seq; readonly blame: Blame }>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Changes, newest first; `more` when there are older ones. */
  async list(
    workspace: GuardedWorkspace,
    query: HistoryQuery,
  ): Promise<Outcome<{ changes: HistoryEntry[]; more: boolean }>> {
    const records = await this.#recordsOf(workspace, query);
    if (isRefusal(records)) return records;
    const { store } = this.#workspace.ports;
    if (query.before !== undefined && !workspace.knowsChange(query.before))
      return unknownChange(query.before);
    let reached = query.before === undefined;
    const changes: HistoryEntry[] = [];
    for await (const moment of timeline(store, records)) {
      const wanted = reached && isWorthTelling(moment, query) && isBy(moment.change, query.agent);
      if (moment.change.id === query.before) reached = true;
      if (!wanted) continue;
      if (changes.length === query.limit) return { changes, more: true };
      changes.push(inHistory(moment));
    }
    return { changes, more: false };
  }

  /** What was done to a document after a version: the newest changes, oldest first, and all of it as one edit. */
  async since(document: Document, version: Version): Promise<Outcome<ChangesSince>> {
    const change = document.versions.find(version);
    const splices = change && document.versions.since(change.seq);
    const base = change && document.versions.textAt(change.seq);
    if (change === undefined || splices === undefined || base === undefined)
      return unknownVersion(document, version);
    const changes: HistoryEntry[] = [];
    const { id, path, head } = document;
    await settled([document]);
    const record = this.#workspace.ports.store.document(id);
    for await (const moment of timeline(this.#workspace.ports.store, record ? [{ ...record, path }] : [])) {
      if (moment.change.seq <= change.seq || changes.length === MOST_TOLD) break;
      if (moment.change.seq <= head.seq) changes.push(inHistory(moment));
    }
    const more = head.seq - change.seq > changes.length;
    return { version, changes: changes.reverse(), more, splices, base };
  }

  /** Changes of the documents that a query means, newest first. */
  async *entries(
    workspace: GuardedWorkspace,
    query: Pick<HistoryQuery, "path" | "hides">,
  ): AsyncGenerator<TimelineEntry> {
    const records = await this.#recordsOf(workspace, query);
    if (!isRefusal(records)) yield* timeline(this.#workspace.ports.store, records);
  }

  /** Which change put each stretch of a document's text there, in order. */
  blame(document: Document): readonly BlameRun[] {
    let known = this.#blames.get(document);
    if (known === undefined) {
      const first = document.versions.oldest;
      known = {
        seq: first.seq,
        blame: new Blame(
          first.seq === 0 ? first : undefined,
          document.versions.textAt(first.seq)?.chars ?? 0,
        ),
      };
      this.#blames.set(document, known);
    }
    for (; known.seq < document.head.seq; known.seq++) {
      const change = document.versions.change(known.seq + 1);
      if (change === undefined) throw new Error(`${document.path} lacks change ${known.seq + 1}`);
      known.blame.apply(change);
    }
    return known.blame.runs;
  }

  async #recordsOf(
    workspace: GuardedWorkspace,
    { path, hides }: Pick<HistoryQuery, "path" | "hides">,
  ): Promise<Outcome<DocumentRecord[]>> {
    const { store } = this.#workspace.ports;
    if (path === undefined) {
      await settled(workspace.loaded);
      return store.documents().filter((record) => !hides(record.path) && workspace.mayRead(record.path));
    }
    const document = await workspace.opened(path);
    if (isRefusal(document)) return document;
    await settled([document]);
    const record = store.document(document.id);
    return record === undefined ? [] : [{ ...record, path: document.path }];
  }
}

/** True of the changes of an agent, by its id or, where that cannot be taken for another's id, its name. */
export function isBy(change: ChangeRecord | undefined, agent: string | undefined): boolean {
  if (agent === undefined || change?.agent === agent) return true;
  return change?.author === agent && !agent.includes("/");
}

/** Resolves once the store has what these documents gave it, or refused it. */
async function settled(documents: readonly Document[]): Promise<void> {
  await Promise.allSettled(documents.map(({ durable }) => durable));
}

/** That a file was first looked at is told of that file only. */
function isWorthTelling({ change }: TimelineEntry, { path }: HistoryQuery): boolean {
  return change.seq > 0 || change.origin !== "disk" || path !== undefined;
}

function inHistory({ record, change, previous, undone }: TimelineEntry): HistoryEntry {
  return {
    ...changeSummary(record, change),
    previous: previous === undefined ? null : versionOf(previous),
    undone,
  };
}
