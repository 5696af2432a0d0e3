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

/** A checkpoint as it is kept. */
interface Kept {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly author: string;
  readonly documents: readonly { readonly docId: string; readonly path: string; readonly version: Version }[];
}

const checkpointShelf = shelfOf<Kept>("checkpoints");

export interface Checkpoint {
  readonly name: string;
  readonly time: string;
  readonly author: string;
  readonly documents: number;
}

export interface Restored {
  readonly name: string;
  readonly restored: string[];
  readonly unchanged: number;
  readonly newer: string[];
  readonly failed: { path: string; message: string }[];
}

/** Versions of a whole workspace under a name, to come back to. */
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

  create(actor: Actor, name: string): Promise<Outcome<Checkpoint>> {
    return this.#byName.run([name], () => this.#create(actor, name));
  }

  async #create(actor: Actor, name: string): Promise<Outcome<Checkpoint>> {
    const { store, clock } = this.#workspace.ports;
    if (store.shelved(checkpointShelf, name) !== undefined)
      return new Refusal("ALREADY_EXISTS", `there is a checkpoint ${JSON.stringify(name)} already`, {
        suggestion: "Choose another name; checkpoint.list tells which there are.",
      });
    const documents: Kept["documents"][number][] = [];
    for (const path of await this.#texts()) {
      const document = await this.#workspace.open(path);
      if (isRefusal(document)) continue; // no text after all, or gone
      await document.durable;
      documents.push({ docId: document.id, path: document.path, version: document.version });
    }
    const kept: Kept = { name, time: clock.now(), author: actor.name, documents };
    await store.shelve({ shelf: checkpointShelf, id: name, record: kept });
    return toldOf(kept);
  }

  list(): Checkpoint[] {
    const kept = [...this.#workspace.ports.store.shelf(checkpointShelf)];
    return kept.sort((a, b) => b.time - a.time).map(toldOf);
  }

  async restore(actor: Actor, name: string): Promise<Outcome<Restored>> {
    const { store } = this.#workspace.ports;
    const kept = store.shelved(checkpointShelf, name);
    if (kept === undefined)
      return new Refusal("NOT_FOUND", `there is no checkpoint ${JSON.stringify(name)}`, {
        suggestion: "checkpoint.list tells which there are.",
      });
    const known = new Set(kept.documents.map(({ docId }) => docId));
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
    const failed: Restored["failed"] = [];
    let unchanged = 0;
    const message = shortMessage(`back to ${name}`);
    for (const entry of kept.documents) {
      const record = store.document(entry.docId);
      const path = record?.path ?? entry.path;
      const outcome = await restoreVersion(parts, actor, path, entry.version, { message });
      if (isRefusal(outcome)) failed.push({ path, message: outcome.message });
      else if (outcome.changeId !== null || record?.deletedAt !== undefined) restored.push(path);
      else unchanged++;
    }
    return { name, restored, unchanged, newer, failed };
  }

  /** The oldest version of a document that a checkpoint goes back to. */
  #oldestOf(docId: string): Seq | undefined {
    const kept = [...this.#workspace.ports.store.shelf(checkpointShelf)];
    const seqs = kept
      .flatMap(({ documents }) => documents)
      .flatMap((document) => (document.docId === docId ? (seqOf(document.version) ?? []) : []));
    return seqs.length === 0 ? undefined : Math.min(...seqs);
  }

  async #texts(): Promise<string[]> {
    const listed = await list(this.#workspace, { ignore: this.#ignore });
    return listed.filter(({ kind }) => kind === "text").map(({ path }) => path);
  }
}

function toldOf({ name, time, author, documents }: Kept): Checkpoint {
  return { name, time: new Date(time).toISOString(), author, documents: documents.length };
}
