import { setImmediate } from "node:timers/promises";
import { type ChangeRecord, firstSeqOf, type Seq } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import { MOST_FILES } from "../../work/bounds.ts";
import { type Actor, actingFor } from "../access/actor.ts";
import {
  type BatchRequest,
  batchIdOf,
  batchShelf,
  type FilePatchRecord,
  isBatchId,
} from "../edits/batch-record.ts";
import type { AppliedEdits, Editor } from "../edits/editor.ts";
import type { Preview, StoredPreview } from "../edits/previews.ts";
import { isRefused, type RefusedEdits } from "../edits/request.ts";
import type { FileBatches } from "../folder/file-batch.ts";
import { refusalIfIgnored } from "../folder/ignored-path.ts";
import type { Workspace } from "../folder/workspace.ts";
import { changesOfBatch, MOST_BESIDE_BATCH, readableFiles } from "../history/batch-changes.ts";
import { History } from "../history/history.ts";
import { isOtherRequest, OncePerOpId } from "../once.ts";
import { confirmedMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { opIdRefusal } from "../outcome/refusals.ts";
import { seqOf } from "../versions/version.ts";
import { documentDiff } from "../workers/text-diff.ts";
import { TokenWorkers } from "../workers/workers.ts";
import {
  type ChangeView,
  type FileView,
  fileView,
  historyView,
  isSame,
  partOf,
  type State,
  textsAround,
  viewOf,
} from "./change-view.ts";
import { BatchMaker, requestOfPreview } from "./make-batch.ts";

/** An entry of the history, if it is still there, with its state now. */
type FoundChange = State & { readonly change: ChangeRecord | undefined };

/** The changes that are named before other requests continue (I14). */
const YIELD_EVERY = 500;

/** Applies, finds and forgets changes of several files that are made as one; `edits/commit.ts` makes them atomic. */
export class Batches {
  readonly #workspace: Workspace;
  readonly #maker: BatchMaker;
  readonly #history: History;
  readonly #once = new OncePerOpId();

  constructor(workspace: Workspace, editor: Editor, files: FileBatches) {
    this.#workspace = workspace;
    this.#maker = new BatchMaker(workspace, editor, files);
    this.#history = new History(workspace);
  }

  /** Applies all of a batch or nothing; a repeated `opId` of the same agent gets the first answer. */
  apply(actor: Actor, request: BatchRequest, batchId = this.newId()): Promise<ChangeView | RefusedEdits> {
    const earlier = (opId: string) => this.#earlierAnswer(actor, opId);
    return this.#once.run(actor.agent, request.opId, earlier, () => this.#make(actor, request, batchId));
  }

  /** Stores a preview of a batch that the actor may propose; changes nothing. */
  preview(actor: Actor, request: BatchRequest): Promise<Preview | RefusedEdits> {
    return this.#maker.preview(actor, request, this.newId());
  }

  /** Makes exactly the batch of a preview that also changes files; returns the results of its edits. */
  applyPreview(actor: Actor, stored: StoredPreview): Promise<AppliedEdits> {
    const isOwn = actor.agent === stored.author.agent;
    const request = requestOfPreview(stored)!;
    const message = isOwn ? request.message : confirmedMessage(request.message, actor.name);
    return this.#maker.make(
      actingFor(actor, stored.author),
      { ...request, message },
      stored.options.batch!.id,
    );
  }

  newId(): string {
    return this.#workspace.newId("batch");
  }

  /** Drops batches that are older than this, in milliseconds; 0 preserves all. */
  async forget(keepMs: number): Promise<void> {
    if (keepMs === 0) return;
    const { store, clock } = this.#workspace.ports;
    const cutoff = clock.now() - keepMs;
    const old = [...store.shelf(batchShelf)].filter(({ time }) => time < cutoff);
    for (const { batchId } of old) await store.shelve({ shelf: batchShelf, id: batchId, record: null });
  }

  /**
   * Finds a batch, a file's part of it, one of its changes, or a change of no batch; also after a restart. Of a batch
   * it shows the files that the actor may read (RI62). An id of other files is refused as an unknown one is.
   */
  async find(actor: Actor, id: string): Promise<Outcome<ChangeView>> {
    const found = await this.#find(actor, id);
    if (isRefusal(found)) return found;
    const { ignored } = this.#workspace.ports;
    const refused = found.files.map(({ path }) => refusalIfIgnored(ignored, path)).find(isRefusal);
    return refused ?? found;
  }

  /** Finds the change that several ids name together, of which the first names the least. */
  async findAgreed(actor: Actor, [id, ...others]: readonly string[]): Promise<Outcome<ChangeView>> {
    const found = await this.find(actor, id!);
    if (isRefusal(found)) return found;
    for (const other of others) {
      const around = await this.find(actor, other);
      if (isRefusal(around)) return around;
      const holds = found.files.every((file) => around.files.some((one) => isSame(file, one)));
      if (around.batchId === found.batchId && holds) continue;
      return new Refusal("INVALID_ARGUMENT", `${id} is no part of ${other}; the ids name different changes`, {
        suggestion: "Give the ids of one answer, or one id alone.",
      });
    }
    return found;
  }

  async #find(actor: Actor, id: string): Promise<Outcome<ChangeView>> {
    const { store } = this.#workspace.ports;
    const batchId = batchIdOf(id);
    const record = store.shelved(batchShelf, batchId);
    if (record === undefined) return isBatchId(id) ? this.#unrecorded(actor, id) : this.#single(actor, id);
    const parts = readableFiles(this.#workspace, actor, id === batchId ? record.files : partOf(record, id));
    const files: FileView[] = [];
    for (const part of parts) {
      const view = await this.#view(actor, part);
      if (view === undefined) return unknown(id);
      files.push(view);
    }
    return files.length === 0 ? unknown(id) : viewOf(record, files);
  }

  async #make(actor: Actor, request: BatchRequest, batchId: string): Promise<ChangeView | RefusedEdits> {
    const made = await this.#maker.make(actor, request, batchId);
    if (isRefused(made)) return made;
    const record = this.#workspace.ports.store.shelved(batchShelf, batchId)!;
    const results = made.made.values();
    const files: FileView[] = [];
    for (const file of record.files) {
      if (file.operation === undefined) {
        const { path, before, splices, mirrored } = results.next().value!;
        const diff = await this.#diff(actor, path, before, before.splice(splices));
        files.push(fileView(file, { path, mirrored, diff }));
      } else {
        const view = await this.#view(actor, file);
        if (view !== undefined) files.push(view);
      }
    }
    return viewOf(record, files);
  }

  /** Returns the earlier answer to an `opId`; undefined when there is none, or the store rolled it back. */
  async #earlierAnswer(actor: Actor, opId: string): Promise<ChangeView | RefusedEdits | undefined> {
    const first = this.#workspace.ports.store.answer(actor.agent, opId);
    if (first === undefined) return undefined;
    const { batchId } = first.result as { readonly batchId?: string };
    if (batchId === undefined || isOtherRequest(first.asked, actor.asked))
      return { refused: [{ refusal: opIdRefusal(opId) }] };
    const found = await this.find(actor, batchId);
    return isRefusal(found) ? undefined : found;
  }

  /** Returns a file's part as it is now; undefined when the store rolled its change back. */
  async #view(actor: Actor, file: FilePatchRecord): Promise<FileView | undefined> {
    const { changeId, docId, docPath, version } = file;
    const path = this.#workspace.ports.store.document(docId)?.path ?? docPath;
    if (changeId === null) return fileView(file, { path, mirrored: true, diff: "" });
    const seq = seqOf(version)!;
    const { change, ...state } = await this.#change(actor, docId, path, seq);
    const dropped = change === undefined && seq < (this.#workspace.ports.store.oldest(docId)?.seq ?? 0);
    return dropped || change?.id === changeId ? fileView(file, state) : undefined;
  }

  /** Finds a change by its id in the history. */
  async #single(actor: Actor, id: string): Promise<Outcome<ChangeView>> {
    const { store } = this.#workspace.ports;
    const at = store.find(id);
    const record = at && store.document(at.docId);
    if (!(at && record && actor.rights.allows(record.path, "read"))) return unknown(id);
    const { change, ...state } = await this.#change(actor, at.docId, record.path, at.seq);
    if (change === undefined || (change.id !== id && change.folded === undefined)) return unknown(id);
    const batchId = change.batch?.id ?? "";
    const whole = store.shelved(batchShelf, batchId) && (await this.#find(actor, batchId));
    if (whole !== undefined && !isRefusal(whole)) {
      const files = whole.files.filter(({ changeId }) => changeId === id);
      return files.length === 0 ? unknown(id) : { ...whole, files };
    }
    return historyView([{ change, state }]);
  }

  /** Finds the changes of a batch that no request described, such as an undo, or of another machine. */
  async #unrecorded(actor: Actor, batchId: string): Promise<Outcome<ChangeView>> {
    const entries = await changesOfBatch(this.#workspace, this.#history, actor, batchId);
    const isShown = entries.length <= MOST_FILES;
    const found: { change: ChangeRecord; state: State }[] = [];
    for (const [i, { record, change: stored }] of entries.reverse().entries()) {
      if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
      const { id, path } = record;
      const { change, ...state } = isShown
        ? await this.#change(actor, id, path, stored.seq)
        : this.#unopened(id, path, stored.seq);
      if (change?.id === stored.id) found.push({ change, state });
    }
    return found.length === 0 ? unknown(batchId) : historyView(found);
  }

  /** Returns the entry of the history that contains a change, with its diff. The document may be deleted by now. */
  async #change(actor: Actor, docId: string, path: string, seq: Seq): Promise<FoundChange> {
    // Opening rolls back the changes in the store after a refused change.
    const document = await this.#workspace.opened(path);
    if (isRefusal(document) || document.id !== docId) return this.#unopened(docId, path, seq);
    const { versions, path: present } = document; // a rename meanwhile may leave the actor's reach
    const change = versions.entry(seq);
    const first = change === undefined ? seq : firstSeqOf(change);
    const [before, after] = textsAround(
      change?.file,
      versions.textAt(first - 1),
      versions.textAt(change?.seq ?? seq),
    );
    const diff =
      before === undefined || after === undefined ? null : await this.#diff(actor, present, before, after);
    return { change, path: present, mirrored: document.holds(seq), diff };
  }

  /** Returns the entry of the history that contains a change, without what only its document knows. */
  #unopened(docId: string, path: string, seq: Seq): FoundChange {
    return { change: this.#workspace.storedChange(docId, seq, "entry"), path, mirrored: false, diff: null };
  }

  /** Returns the diff of a change; null where it takes too long. */
  async #diff(actor: Actor, path: string, before: Text, after: Text): Promise<string | null> {
    const workers = new TokenWorkers(this.#workspace.ports.workers, actor);
    const diff = await documentDiff(workers, path, before, after);
    return isRefusal(diff) ? null : diff;
  }
}

function unknown(id: string): Refusal {
  const found = isBatchId(batchIdOf(id))
    ? `no batch of this workspace, as far as its newest ${MOST_BESIDE_BATCH} changes show`
    : "no batch and no change of this workspace";
  return new Refusal("NOT_FOUND", `${JSON.stringify(id)} names ${found}`, {
    suggestion: "Results of batch.apply and of edits, and doc.changed, name them.",
  });
}
