import { setImmediate } from "node:timers/promises";
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
import {
  type CheckpointDocument,
  type CheckpointRecord,
  checkpointShelf,
  idOf,
  keptText,
} from "./checkpoint-record.ts";
import { openTarget } from "./open-target.ts";
import { restoreVersion } from "./restore.ts";
import { SharedCheckpoints } from "./shared-checkpoints.ts";

/** A checkpoint as a list shows it. */
export interface Checkpoint {
  readonly name: string;
  /** ISO 8601. */
  readonly time: string;
  readonly author: string;
  /** The name of the machine where it was made; absent for this machine. */
  readonly machine?: string;
  /** The number of files in it. */
  readonly documents: number;
}

/** The result of restoring a checkpoint, or the effect that restoring it would have. */
interface RestoredCheckpoint {
  readonly name: string;
  /** The paths of the restored documents. */
  readonly restored: string[];
  /** The number of files that are as they were at the checkpoint. */
  readonly unchanged: number;
  /** The paths of documents that the checkpoint does not contain. */
  readonly newer: string[];
  readonly failed: { path: string; message: string }[];
  /** The batch of the changes that restored documents. */
  readonly batchId?: string;
}

/** A document that is not as it was at a checkpoint. */
interface ToRestore {
  readonly id: string;
  readonly path: string;
  readonly at: CheckpointDocument["version"] | { readonly text: string };
  /** The most changes that this takes: a deleted document gets its file and its text. */
  readonly changes: 1 | 2;
}

/** Documents that are looked at before other requests continue (I14). */
const YIELD_EVERY = 500;

/** Saves the versions of all files under a name, and restores them. */
export class Checkpoints {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #byName = new KeyedQueue<string>();
  readonly #shared: SharedCheckpoints;
  /** The number of files without a document that an actor with these rights may see. */
  readonly #seen = new WeakMap<Rights, { readonly generation: string; readonly files: number }>();
  /** The changes that checkpoints need, by document and checkpoint. */
  readonly #needed = new Map<string, ReadonlyMap<string, Seq>>();

  constructor(workspace: Workspace, editor: Editor) {
    this.#workspace = workspace;
    this.#editor = editor;
    workspace.pins.add((docId) => this.#oldestOf(docId));
    this.#shared = new SharedCheckpoints(workspace, this.#byName);
    workspace.shared.add(this.#shared);
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
    const id = this.#workspace.newId("cp");
    const record: CheckpointRecord = { id, name, time: clock.now(), author: actor.name, documents, files };
    await store.shelve({ shelf: checkpointShelf, id: name, record });
    this.#shared.made(name);
    return summaryOf(record, (await this.#seenBy(actor))(record));
  }

  /** Returns all checkpoints, newest first. */
  async list(actor: Actor): Promise<Checkpoint[]> {
    const records = this.#records().sort((a, b) => b.time - a.time);
    const seen = await this.#seenBy(actor);
    return records.map((record) => summaryOf(record, seen(record)));
  }

  /** Restores each file of a checkpoint by an edit, all as one batch. Newer documents remain as they are. */
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
    const size = plan.changed.reduce((sum, { changes }) => sum + changes, 0);
    const batch = { id: this.#workspace.newId("batch"), size };
    for (const { id, path, at } of plan.changed) {
      const document = await openTarget(parts.workspace, { id, path });
      const outcome = isRefusal(document)
        ? document
        : await restoreVersion(parts, actor, document.path, at, { message, batch });
      if (isRefusal(outcome)) failed.push({ path, message: outcome.message });
      else restored.push(outcome.path);
    }
    const { unchanged, newer } = plan;
    return { name, restored, unchanged, newer, failed, ...(restored.length > 0 && { batchId: batch.id }) };
  }

  /** Returns the effect that restoring a checkpoint would have. */
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
    const listed = new Map(checkpoint.documents.map((one) => [one.docId, one]));
    const edited: ToRestore[] = [];
    const deleted: ToRestore[] = [];
    const newer: string[] = [];
    let same = 0;
    for await (const { id, path, deletedAt } of this.#documents()) {
      if (!this.#sees(actor, path)) continue;
      const one = listed.get(id);
      const version = one?.version ?? this.#firstOf(id);
      const at = one?.kept === undefined ? version : keptText(store, one.kept);
      if (version === undefined || at === undefined) {
        if (deletedAt === undefined) newer.push(path);
      } else if (deletedAt !== undefined) deleted.push({ id, path, at, changes: 2 });
      else if (!this.#sameText(id, one?.kept ?? { version })) edited.push({ id, path, at, changes: 1 });
      else same++;
    }
    const { files } = this.#workspace.cover.status;
    const unchanged = actor.rights.seesEverything
      ? files - edited.length - newer.length
      : same + (await this.#baselinesSeenBy(actor));
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

  /** Returns true when a document's newest text is a wanted one, as far as hashes show or no edit followed. */
  #sameText(docId: string, wanted: { readonly version: Version } | string): boolean {
    const { store } = this.#workspace.ports;
    const change = typeof wanted === "string" ? undefined : store.change(docId, seqOf(wanted.version) ?? 0);
    const hash = typeof wanted === "string" ? wanted : change?.sha256;
    for (const { id, sha256, splices } of store.changes(docId)) {
      if (id === change?.id || (sha256 !== undefined && sha256 === hash)) return true;
      if (splices.length > 0) return false;
    }
    return false;
  }

  /** Returns the oldest change of a document that a checkpoint needs. */
  #oldestOf(docId: string): Seq | undefined {
    const seqs = this.#records().map((record) => this.#seqsOf(record).get(docId) ?? 0);
    return seqs.length === 0 ? undefined : Math.min(...seqs);
  }

  #seqsOf(record: CheckpointRecord): ReadonlyMap<string, Seq> {
    const id = idOf(record);
    const known = this.#needed.get(id);
    if (known !== undefined) return known;
    const seqs = new Map(record.documents.map(({ docId, version }) => [docId, seqOf(version) ?? 0]));
    this.#needed.set(id, seqs);
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

  /**
   * Counts the files without a document that an actor may see; the number is valid until the set of these files
   * changes.
   */
  async #baselinesSeenBy(actor: Actor): Promise<number> {
    const { cover, ports } = this.#workspace;
    const { generation } = cover;
    const known = this.#seen.get(actor.rights);
    if (known?.generation === generation) return known.files;
    let files = 0;
    for await (const { path, sha256 } of everyBaseline(ports.store.baselines, ports.clock))
      if (sha256 !== undefined && this.#sees(actor, path)) files++;
    this.#seen.set(actor.rights, { generation, files });
    return files;
  }
}

function summaryOf({ name, time, author, machine }: CheckpointRecord, documents: number): Checkpoint {
  const made = { name, time: new Date(time).toISOString(), author };
  return { ...made, ...(machine !== undefined && { machine }), documents };
}
