import type { ChangeRecord, Seq } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import type { Preview } from "../edits/apply.ts";
import type { Editor } from "../edits/editor.ts";
import type { EditRequest, RefusedEdit } from "../edits/request.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { opIdRefusal } from "../outcome/refusals.ts";
import { seqOf, versionOf } from "../versions/version.ts";
import { documentDiff } from "../workers/text-diff.ts";
import { TokenWorkers } from "../workers/workers.ts";
import {
  type BatchNotes,
  type BatchRecord,
  type BatchRequest,
  batchIdOf,
  batchShelf,
  type FilePatchRecord,
  keeping,
} from "./record.ts";

/** What is told of one file's part. */
export interface FileView extends Omit<FilePatchRecord, "filePatchId" | "docId" | "merged" | "conflicts"> {
  /** Null for a change that no batch made, of which the next two are not told either. */
  readonly filePatchId: string | null;
  readonly merged?: boolean;
  readonly conflicts?: number;
  /** Where the document is now. */
  readonly path: string;
  /** Null when its texts are not kept any more. */
  readonly diff: string | null;
  /** The file on disk holds it. */
  readonly mirrored: boolean;
}

/** A batch, or a part of one, or a change by itself. */
export interface ChangeView extends BatchNotes {
  readonly batchId: string | null;
  readonly author: string;
  /** ISO 8601. */
  readonly time: string;
  readonly message?: string;
  readonly files: readonly FileView[];
}

/** Changes of several files that are made, found and undone as one. */
export class Batches {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #byOpId = new KeyedQueue<string>();

  constructor(workspace: Workspace, editor: Editor) {
    this.#workspace = workspace;
    this.#editor = editor;
  }

  /** Makes all of it or nothing; the same `opId` of the same agent gets the first answer again. */
  apply(
    actor: Actor,
    request: BatchRequest,
    batchId = this.newId(),
  ): Promise<ChangeView | { readonly refused: readonly RefusedEdit[] }> {
    const { opId } = request;
    if (opId === undefined) return this.#make(actor, request, batchId);
    return this.#byOpId.run([JSON.stringify([actor.agent, opId])], async () => {
      const answered = await this.#answered(actor, opId);
      if (isRefusal(answered)) return { refused: [{ refusal: answered }] };
      return answered ?? this.#make(actor, request, batchId);
    });
  }

  /** Shows what it would do. */
  preview(
    actor: Actor,
    request: BatchRequest,
  ): Promise<Preview | { readonly refused: readonly RefusedEdit[] }> {
    const once = { ...request, opId: undefined };
    return this.#editor.preview(actor, requestsOf(request), keeping(this.newId(), once, this.#now));
  }

  newId(): string {
    return this.#workspace.newId("batch");
  }

  /** Forgets batches that are older than this, in milliseconds; 0 keeps all. */
  async forget(keepMs: number): Promise<void> {
    if (keepMs === 0) return;
    const { store, clock } = this.#workspace.ports;
    const cutoff = clock.now() - keepMs;
    const old = [...store.shelf(batchShelf)].filter(({ time }) => time < cutoff);
    for (const { batchId } of old) await store.shelve({ shelf: batchShelf, id: batchId, record: null });
  }

  /**
   * What is known of a batch, a file's part of it, one of its changes, or a change by itself; also after a restart.
   * Nothing is where any of its files may not be read, under the name that it had or the one that it has.
   */
  async find(actor: Actor, id: string): Promise<Outcome<ChangeView>> {
    const { rights } = actor;
    const found = await this.#find(actor, id);
    if (isRefusal(found)) return found;
    const readable = found.files.every(
      ({ path, docPath }) => rights.allows(path, "read") && rights.allows(docPath, "read"),
    );
    return readable ? found : unknown(id);
  }

  async #find(actor: Actor, id: string): Promise<Outcome<ChangeView>> {
    const { store } = this.#workspace.ports;
    const batchId = batchIdOf(id);
    const record = store.shelved(batchShelf, batchId);
    if (record === undefined) return this.#single(actor, id);
    const parts = id === batchId ? record.files : partOf(record, id);
    const files: FileView[] = [];
    for (const part of parts) {
      const view = await this.#view(actor, part);
      if (view === undefined) return unknown(id);
      files.push(view);
    }
    return files.length === 0 ? unknown(id) : viewOf(record, files);
  }

  async #make(
    actor: Actor,
    request: BatchRequest,
    batchId: string,
  ): Promise<ChangeView | { readonly refused: readonly RefusedEdit[] }> {
    const options = keeping(batchId, request, this.#now);
    const result = await this.#editor.together(actor, requestsOf(request), options);
    if ("refused" in result) return result;
    const record = this.#workspace.ports.store.shelved(batchShelf, batchId)!;
    const files: FileView[] = [];
    for (const [i, { path, before, splices, mirrored }] of result.made.entries()) {
      const diff = await this.#diff(actor, path, before, before.splice(splices));
      files.push(fileView(record.files[i]!, { path, mirrored, diff }));
    }
    return viewOf(record, files);
  }

  /** What was answered before under an `opId`, if it is still so. */
  async #answered(actor: Actor, opId: string): Promise<Outcome<ChangeView | undefined>> {
    const result = this.#workspace.ports.store.answer(actor.agent, opId)?.result;
    if (result === undefined) return undefined;
    const { batchId } = result as { readonly batchId?: string };
    if (batchId === undefined) return opIdRefusal(opId);
    const found = await this.find(actor, batchId);
    return isRefusal(found) ? undefined : found; // the store took it back
  }

  /** A file's part as it is now; undefined when the store took its change back. */
  async #view(actor: Actor, file: FilePatchRecord): Promise<FileView | undefined> {
    const { changeId, docId, docPath, version } = file;
    const path = this.#workspace.ports.store.document(docId)?.path ?? docPath;
    if (changeId === null) return fileView(file, { path, mirrored: true, diff: "" });
    const seq = seqOf(version)!;
    const { change, ...state } = await this.#change(actor, docId, path, seq);
    const dropped = change === undefined && seq < (this.#workspace.ports.store.oldest(docId)?.seq ?? 0);
    return dropped || change?.id === changeId ? fileView(file, state) : undefined;
  }

  /** A change by the id that the history has it under. */
  async #single(actor: Actor, id: string): Promise<Outcome<ChangeView>> {
    const { store } = this.#workspace.ports;
    const at = store.find(id);
    const record = at && store.document(at.docId);
    if (at === undefined || record === undefined) return unknown(id);
    const { change, ...state } = await this.#change(actor, at.docId, record.path, at.seq);
    if (change?.id !== id) return unknown(id);
    const whole = change.batch && (await this.#find(actor, change.batch.id));
    if (whole !== undefined && !isRefusal(whole))
      return { ...whole, files: whole.files.filter(({ changeId }) => changeId === id) };
    const { author, message, time } = change;
    const file = {
      filePatchId: null,
      docPath: state.path,
      changeId: id,
      version: versionOf(change),
      changes: [],
    };
    return {
      batchId: change.batch?.id ?? null,
      author,
      time: new Date(time).toISOString(),
      ...(message !== undefined && { message }),
      files: [{ ...file, ...state }],
    };
  }

  /** A change of a document, which may be deleted by now, and what it did. */
  async #change(
    actor: Actor,
    docId: string,
    path: string,
    seq: Seq,
  ): Promise<State & { readonly change: ChangeRecord | undefined }> {
    // Opening takes back what was stored after a change that was not.
    const document = await this.#workspace.opened(path);
    if (isRefusal(document) || document.id !== docId)
      return { change: this.#workspace.storedChange(docId, seq), path, mirrored: false, diff: null };
    const { versions: past } = document;
    const [before, after] = [past.textAt(seq - 1), past.textAt(seq)];
    const diff =
      before === undefined || after === undefined
        ? null
        : await this.#diff(actor, document.path, before, after);
    return { change: past.change(seq), path: document.path, mirrored: document.holds(seq), diff };
  }

  /** What a change did, as a diff; null where making it took too long. */
  async #diff(actor: Actor, path: string, before: Text, after: Text): Promise<string | null> {
    const workers = new TokenWorkers(this.#workspace.ports.workers, actor);
    const diff = await documentDiff(workers, path, before, after);
    return isRefusal(diff) ? null : diff;
  }

  readonly #now = () => this.#workspace.ports.clock.now();
}

/** What of a file's part depends on when it is asked for. */
type State = Pick<FileView, "path" | "diff" | "mirrored">;

function requestsOf({ files, onStale = "reject", ack, message, notes }: BatchRequest): EditRequest[] {
  return files.map(({ kind, docPath: path, plan, version, sha256, notes: { fileLabel } }) => {
    const why = message ?? fileLabel ?? notes.batchLabel;
    return { kind, path, plan, version, sha256, onStale, ack, message: why && shortMessage(why) };
  });
}

/** The part of a batch that an id names: a file's, or that with one change of it. */
function partOf({ files }: BatchRecord, id: string): readonly FilePatchRecord[] {
  const file = files.find(({ filePatchId }) => id === filePatchId || id.startsWith(`${filePatchId}.`));
  if (file === undefined || file.filePatchId === id) return file === undefined ? [] : [file];
  const changes = file.changes.filter(({ changeId }) => changeId === id);
  return changes.length === 0 ? [] : [{ ...file, changes }];
}

function fileView({ docId: _, ...file }: FilePatchRecord, { path, diff, mirrored }: State): FileView {
  return { ...file, path, diff, mirrored };
}

function viewOf({ agent: _, ...record }: BatchRecord, files: readonly FileView[]): ChangeView {
  return { ...record, time: new Date(record.time).toISOString(), files };
}

function unknown(id: string): Refusal {
  return new Refusal("NOT_FOUND", `${JSON.stringify(id)} names no batch and no change of this workspace`, {
    suggestion: "Results of batch.apply and of edits, and doc.changed, name them.",
  });
}
