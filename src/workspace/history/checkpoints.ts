import { setImmediate } from "node:timers/promises";
import { shelfOf } from "../../store/shelf.ts";
import type { DocumentRecord, Seq } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Rights } from "../access/rights.ts";
import { everyBaseline } from "../cover/every-baseline.ts";
import type { Editor } from "../edits/editor.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { seqOf, type Version, versionOf } from "../versions/version.ts";
import { restoreVersion } from "./restore.ts";

/**
 * A stored checkpoint. It lists documents only: a file without a document has its text of that time as long as it has no
 * document, and as the first text of the document that it gets (I16).
 */
interface CheckpointRecord {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly author: string;
  readonly documents: readonly { readonly docId: string; readonly path: string; readonly version: Version }[];
  /** The number of all files; checkpoints of earlier versions have documents only. */
  readonly files?: number;
}

const checkpointShelf = shelfOf<CheckpointRecord>("checkpoints");

/** A checkpoint as a list shows it. */
export interface Checkpoint {
  readonly name: string;
  /** ISO 8601. */
  readonly time: string;
  readonly author: string;
  /** The number of files in it. */
  readonly documents: number;
}

/** The result of restoring a checkpoint, or what restoring it would do. */
interface RestoredCheckpoint {
  readonly name: string;
  /** The paths of the restored documents. */
  readonly restored: string[];
  /** The number of files that are as they were at the checkpoint. */
  readonly unchanged: number;
  /** The paths of documents that the checkpoint does not contain. */
  readonly newer: string[];
  readonly failed: { path: string; message: string }[];
}

/** A document that is not as it was at a checkpoint. */
interface ToRestore {
  readonly path: string;
  readonly version: Version;
}

/** Documents that are looked at before other requests continue (I14). */
const YIELD_EVERY = 500;

/** Saves the versions of all files under a name, and restores them. */
export class Checkpoints {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #byName = new KeyedQueue<string>();
  /** The files without a document that somebody with these rights may see. */
  readonly #seen = new WeakMap<Rights, { readonly generation: string; readonly files: number }>();
  /** The changes that checkpoints need, by document and checkpoint. */
  readonly #needed = new Map<string, ReadonlyMap<string, Seq>>();

  constructor(workspace: Workspace, editor: Editor) {
    this.#workspace = workspace;
    this.#editor = editor;
    workspace.pins.add((docId) => this.#oldestOf(docId));
  }

  /** Saves a checkpoint; refuses a name that is in use. */
  create(actor: Actor, name: string): Promise<Outcome<Checkpoint>> {
    return this.#byName.run([name], () => this.#create(actor, name));
  }

  async #create(actor: Actor, name: string): Promise<Outcome<Checkpoint>> {
    const { store, clock } = this.#workspace.ports;
    if (store.shelved(checkpointShelf, name) !== undefined)
      return new Refusal("ALREADY_EXISTS", `a checkpoint ${JSON.stringify(name)} already exists`, {
        suggestion: "Choose another name. Call checkpoint.list to see the names in use.",
      });
    await this.#workspace.lookAtAll();
    const documents: CheckpointRecord["documents"][number][] = [];
    for await (const { id, path, deletedAt } of this.#documents()) {
      const version = deletedAt === undefined ? this.#versionOf(id) : undefined;
      if (version !== undefined) documents.push({ docId: id, path, version });
    }
    const { files } = this.#workspace.cover.status;
    const record: CheckpointRecord = { name, time: clock.now(), author: actor.name, documents, files };
    await store.shelve({ shelf: checkpointShelf, id: name, record });
    return summaryOf(record, (await this.#seenBy(actor))(record));
  }

  /** Returns all checkpoints, newest first. */
  async list(actor: Actor): Promise<Checkpoint[]> {
    const records = this.#records().sort((a, b) => b.time - a.time);
    const seen = await this.#seenBy(actor);
    return records.map((record) => summaryOf(record, seen(record)));
  }

  /** Restores each file of a checkpoint by an edit. Newer documents remain as they are. */
  async restore(actor: Actor, name: string): Promise<Outcome<RestoredCheckpoint>> {
    const plan = await this.#plan(actor, name);
    if (isRefusal(plan)) return plan;
    const parts = {
      workspace: new GuardedWorkspace(this.#workspace, actor, "admin"),
      editor: this.#editor,
    };
    const restored: string[] = [];
    const failed: RestoredCheckpoint["failed"] = [];
    const message = shortMessage(`back to ${name}`);
    for (const { path, version } of plan.changed) {
      const outcome = await restoreVersion(parts, actor, path, version, { message });
      if (isRefusal(outcome)) failed.push({ path, message: outcome.message });
      else restored.push(path);
    }
    const { unchanged, newer } = plan;
    return { name, restored, unchanged, newer, failed };
  }

  /** Returns what restoring a checkpoint would do. */
  async preview(actor: Actor, name: string): Promise<Outcome<RestoredCheckpoint>> {
    const plan = await this.#plan(actor, name);
    if (isRefusal(plan)) return plan;
    const { changed, unchanged, newer } = plan;
    return { name, restored: changed.map(({ path }) => path), unchanged, newer, failed: [] };
  }

  /** Compares the documents that an actor may see with a checkpoint. */
  async #plan(
    actor: Actor,
    name: string,
  ): Promise<
    Outcome<{ readonly changed: readonly ToRestore[]; readonly unchanged: number; readonly newer: string[] }>
  > {
    const { store } = this.#workspace.ports;
    const checkpoint = store.shelved(checkpointShelf, name);
    if (checkpoint === undefined)
      return new Refusal("NOT_FOUND", `there is no checkpoint ${JSON.stringify(name)}`, {
        suggestion: "Call checkpoint.list to see all checkpoints.",
      });
    await this.#workspace.lookAtAll();
    const versions = new Map(checkpoint.documents.map(({ docId, version }) => [docId, version]));
    const edited: ToRestore[] = [];
    const deleted: ToRestore[] = [];
    const newer: string[] = [];
    let same = 0;
    for await (const { id, path, deletedAt } of this.#documents()) {
      if (!this.#sees(actor, path)) continue;
      const version = versions.get(id) ?? this.#firstOf(id);
      if (version === undefined) {
        if (deletedAt === undefined) newer.push(path);
      } else if (deletedAt !== undefined) deleted.push({ path, version });
      else if (!this.#sameText(id, version)) edited.push({ path, version });
      else same++;
    }
    const { files } = this.#workspace.cover.status;
    const unchanged = actor.rights.seesEverything ? files - edited.length - newer.length : same;
    const changed = [...edited, ...deleted];
    return { changed, unchanged, newer };
  }

  async *#documents(): AsyncGenerator<DocumentRecord> {
    for (const [i, record] of this.#workspace.ports.store.documents().entries()) {
      if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
      yield record;
    }
  }

  #versionOf(docId: string): Version | undefined {
    const [head] = this.#workspace.ports.store.changes(docId, { limit: 1 });
    return head && versionOf(head);
  }

  /** Returns the version with which a document of a file began that was there before; undefined for a created one. */
  #firstOf(docId: string): Version | undefined {
    const first = this.#workspace.ports.store.change(docId, 0);
    return first === undefined || first.file?.kind === "create" ? undefined : versionOf(first);
  }

  /** Returns true when a document's newest text is that of a version, as far as hashes show or no edit followed. */
  #sameText(docId: string, version: Version): boolean {
    const { store } = this.#workspace.ports;
    const wanted = store.change(docId, seqOf(version) ?? 0);
    for (const change of store.changes(docId)) {
      const { id, sha256, splices } = change;
      if (id === wanted?.id || (sha256 !== undefined && sha256 === wanted?.sha256)) return true;
      if (splices.length > 0) return false;
    }
    return false;
  }

  /** Returns the oldest change of a document that a checkpoint needs. */
  #oldestOf(docId: string): Seq | undefined {
    const seqs = this.#records().map((record) => this.#seqsOf(record).get(docId) ?? 0);
    return seqs.length === 0 ? undefined : Math.min(...seqs);
  }

  #seqsOf({ name, documents }: CheckpointRecord): ReadonlyMap<string, Seq> {
    const known = this.#needed.get(name);
    if (known !== undefined) return known;
    const seqs = new Map(documents.map(({ docId, version }) => [docId, seqOf(version) ?? 0]));
    this.#needed.set(name, seqs);
    return seqs;
  }

  #records(): CheckpointRecord[] {
    return [...this.#workspace.ports.store.shelf(checkpointShelf)];
  }

  /** Returns true for a document that an actor may read and no rule leaves out. */
  #sees({ rights }: Actor, path: string): boolean {
    return rights.allows(path, "read") && !this.#workspace.isIgnored(path);
  }

  /** Returns a function that counts the files of a checkpoint that an actor may see. */
  async #seenBy(actor: Actor): Promise<(record: CheckpointRecord) => number> {
    if (actor.rights.seesEverything) return ({ files, documents }) => files ?? documents.length;
    const baselines = await this.#baselinesSeenBy(actor);
    const documents: string[] = [];
    const begun: string[] = [];
    for await (const { id, path } of this.#documents())
      if (this.#sees(actor, path)) (this.#firstOf(id) === undefined ? documents : begun).push(id);
    return (record) => {
      const listed = this.#seqsOf(record);
      return baselines + begun.length + documents.filter((id) => listed.has(id)).length;
    };
  }

  /** Counts the files without a document that an actor may see; the count holds until other files are of that kind. */
  async #baselinesSeenBy(actor: Actor): Promise<number> {
    const { cover, ports } = this.#workspace;
    const { generation } = cover;
    const known = this.#seen.get(actor.rights);
    if (known?.generation === generation) return known.files;
    let files = 0;
    for await (const { path, sha256 } of everyBaseline(ports.store.baselines))
      if (sha256 !== undefined && this.#sees(actor, path)) files++;
    this.#seen.set(actor.rights, { generation, files });
    return files;
  }
}

function summaryOf({ name, time, author }: CheckpointRecord, documents: number): Checkpoint {
  return { name, time: new Date(time).toISOString(), author, documents };
}
