import { type Seq, shelfOf } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Editor } from "../edits/editor.ts";
import { list } from "../folder/documents.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { seqOf, type Version } from "../versions/version.ts";
import { restoreVersion } from "./restore.ts";

/** A stored checkpoint. */
interface CheckpointRecord {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly author: string;
  readonly documents: readonly { readonly docId: string; readonly path: string; readonly version: Version }[];
}

const checkpointShelf = shelfOf<CheckpointRecord>("checkpoints");

/** A checkpoint as a list shows it. */
export interface Checkpoint {
  readonly name: string;
  /** ISO 8601. */
  readonly time: string;
  readonly author: string;
  /** The number of documents in it. */
  readonly documents: number;
}

/** The result of restoring a checkpoint. */
interface RestoredCheckpoint {
  readonly name: string;
  /** The paths of the restored documents. */
  readonly restored: string[];
  /** The number of documents that had the version of the checkpoint already. */
  readonly unchanged: number;
  /** The paths of documents that the checkpoint does not contain. */
  readonly newer: string[];
  readonly failed: { path: string; message: string }[];
}

/** Saves the versions of all documents under a name, and restores them. */
export class Checkpoints {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #ignore: (path: string) => boolean;
  readonly #byName = new KeyedQueue<string>();

  constructor(workspace: Workspace, editor: Editor, ignore: (path: string) => boolean) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#ignore = ignore;
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
    const documents: CheckpointRecord["documents"][number][] = [];
    for (const path of await this.#texts()) {
      const document = await this.#workspace.open(path);
      if (isRefusal(document)) continue; // The file is no text, or was deleted meanwhile.
      await document.durable;
      documents.push({ docId: document.id, path: document.path, version: document.version });
    }
    const record: CheckpointRecord = { name, time: clock.now(), author: actor.name, documents };
    await store.shelve({ shelf: checkpointShelf, id: name, record });
    return summaryOf(record);
  }

  /** Returns all checkpoints, newest first. */
  list(): Checkpoint[] {
    return this.#records()
      .sort((a, b) => b.time - a.time)
      .map(summaryOf);
  }

  /** Restores each document of a checkpoint to its version by an edit. Newer documents remain as they are. */
  async restore(actor: Actor, name: string): Promise<Outcome<RestoredCheckpoint>> {
    const { store } = this.#workspace.ports;
    const checkpoint = store.shelved(checkpointShelf, name);
    if (checkpoint === undefined)
      return new Refusal("NOT_FOUND", `there is no checkpoint ${JSON.stringify(name)}`, {
        suggestion: "Call checkpoint.list to see all checkpoints.",
      });
    const known = new Set(checkpoint.documents.map(({ docId }) => docId));
    const newer: string[] = [];
    for (const path of await this.#texts()) {
      const record = store.documentAt(path);
      if (record === undefined || !known.has(record.id)) newer.push(path);
    }
    const parts = {
      workspace: new GuardedWorkspace(this.#workspace, actor, "admin"),
      editor: this.#editor,
    };
    const restored: string[] = [];
    const failed: RestoredCheckpoint["failed"] = [];
    let unchanged = 0;
    const message = shortMessage(`back to ${name}`);
    for (const entry of checkpoint.documents) {
      const record = store.document(entry.docId);
      const path = record?.path ?? entry.path;
      const outcome = await restoreVersion(parts, actor, path, entry.version, { message });
      if (isRefusal(outcome)) failed.push({ path, message: outcome.message });
      else if (outcome.changeId !== null || record?.deletedAt !== undefined) restored.push(path);
      else unchanged++;
    }
    return { name, restored, unchanged, newer, failed };
  }

  /** Returns the oldest change of a document that a checkpoint needs. */
  #oldestOf(docId: string): Seq | undefined {
    const seqs = this.#records()
      .flatMap(({ documents }) => documents)
      .flatMap((document) => (document.docId === docId ? (seqOf(document.version) ?? []) : []));
    return seqs.length === 0 ? undefined : Math.min(...seqs);
  }

  #records(): CheckpointRecord[] {
    return [...this.#workspace.ports.store.shelf(checkpointShelf)];
  }

  /** Returns the paths of all text files. */
  async #texts(): Promise<string[]> {
    const listed = await list(this.#workspace, { ignore: this.#ignore });
    return listed.filter(({ kind }) => kind === "text").map(({ path }) => path);
  }
}

function summaryOf({ name, time, author, documents }: CheckpointRecord): Checkpoint {
  return { name, time: new Date(time).toISOString(), author, documents: documents.length };
}
