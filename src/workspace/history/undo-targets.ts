import type { BatchMark, ChangeRecord } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import { batchShelf } from "../edits/batch-record.ts";
import { undoneRefusal } from "../edits/check.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { changesOfBatch, MOST_BESIDE_BATCH, readableFiles } from "./batch-changes.ts";
import type { History } from "./history.ts";
import { isFileChange } from "./undo-file.ts";
import { noBatch, nothing } from "./undo-refusals.ts";
import type { UndoTarget } from "./undo-span.ts";

/** Finds the changes that an undo or a redo means. */
export class UndoTargets {
  readonly #workspace: Workspace;
  readonly #history: History;

  constructor(workspace: Workspace, history: History) {
    this.#workspace = workspace;
    this.#history = history;
  }

  async allNamed(actor: Actor, changeIds: readonly string[]): Promise<Outcome<UndoTarget[]>> {
    const targets: UndoTarget[] = [];
    for (const changeId of new Set(changeIds)) {
      const target = await this.named(actor, changeId);
      if (isRefusal(target)) return target;
      // Two ids of one folded change mean that change once.
      if (!targets.some(({ change }) => change.id === target.change.id)) targets.push(target);
    }
    return targets;
  }

  /** Returns the changes that undo the named ones, each once. */
  async allUndoing(actor: Actor, changeIds: readonly string[]): Promise<Outcome<UndoTarget[]>> {
    const left = new Set(changeIds.map((id) => this.#entryOf(id)?.id ?? id));
    const targets: UndoTarget[] = [];
    for await (const { record, change, undone } of this.#history.entries(this.seenBy(actor), {})) {
      const undoes = change.undoes === undefined ? [] : [change.undoes, ...(change.alsoUndoes ?? [])];
      if (undone || !undoes.some((id) => left.has(id))) continue;
      targets.push({ record, change });
      for (const id of undoes) left.delete(id);
      if (left.size === 0) return targets;
    }
    return nothing("redo", [...left].join(", "));
  }

  /** Returns the changes of a batch that are not undone and that the actor may read (RI62). */
  async ofBatch(actor: Actor, { id }: BatchMark): Promise<UndoTarget[]> {
    const entries = await changesOfBatch(this.#workspace, this.#history, actor, id);
    return entries.flatMap(({ record, change, undone }) => (undone ? [] : { record, change }));
  }

  /**
   * Finds the newest change that is not undone and that the request selects. It looks for a batch without a readable
   * record among the newest changes only.
   */
  async newest(
    actor: Actor,
    { path, changeId, batchId }: { readonly [name in "path" | "changeId" | "batchId"]?: string | undefined },
    isMeant: (change: ChangeRecord) => boolean,
  ): Promise<Outcome<UndoTarget | undefined>> {
    const { store } = this.#workspace.ports;
    const docId = changeId === undefined ? undefined : store.find(changeId)?.docId;
    const only = path ?? (docId === undefined ? undefined : store.document(docId)?.path);
    if (changeId !== undefined && only === undefined) return undefined;
    const moments = this.#history.entries(this.seenBy(actor), { path: only });
    const files = batchId === undefined ? [] : (store.shelved(batchShelf, batchId)?.files ?? []);
    const isBounded = batchId !== undefined && readableFiles(this.#workspace, actor, files).length === 0;
    let looked = 0;
    for await (const { record, change, undone } of moments) {
      if (!undone && (change.seq > 0 || isFileChange(change)) && isMeant(change)) return { record, change };
      if (isBounded && ++looked === MOST_BESIDE_BATCH) return noBatch(batchId, looked);
    }
    return undefined;
  }

  async named(actor: Actor, changeId: string): Promise<Outcome<UndoTarget>> {
    const guarded = this.seenBy(actor);
    const found = await guarded.findChange(changeId);
    if (isRefusal(found)) return found;
    const { document, change } = found;
    if (change.seq === 0 && !isFileChange(change))
      return new Refusal(
        "INVALID_ARGUMENT",
        `${changeId} is how ${document.path} began; nothing comes before it`,
        {
          suggestion: "doc.delete removes the document.",
        },
      );
    for await (const { change: at, undone } of this.#history.entries(guarded, { path: document.path })) {
      if (!undone && (at.id === change.id || this.#makesAgain(at, change.id)))
        return { record: document, change: at };
      if (at.id === change.id) break;
    }
    return undoneRefusal(changeId);
  }

  /** Returns the workspace as far as an actor may read its history; the editor checks whether they may undo. */
  seenBy(actor: Actor): GuardedWorkspace {
    return new GuardedWorkspace(this.#workspace, actor, "read");
  }

  /** Returns true for a redo of a change, however often undo and redo alternated in between. */
  #makesAgain(change: ChangeRecord, changeId: string): boolean {
    return change.undoes !== undefined && !this.isUndo(change) && this.first(change).id === changeId;
  }

  /** Returns the change that was undone and redone since. */
  first(change: ChangeRecord): ChangeRecord {
    const before = this.undoneBy(change);
    return before === undefined ? change : this.first(before);
  }

  /** Returns true for a change that undoes another; an undone undo makes the change again. */
  isUndo(change: ChangeRecord): boolean {
    let depth = 0;
    for (let at: ChangeRecord | undefined = change; at?.undoes !== undefined; at = this.undoneBy(at)) depth++;
    return depth % 2 === 1;
  }

  undoneBy({ undoes }: ChangeRecord): ChangeRecord | undefined {
    return undoes === undefined ? undefined : this.#entryOf(undoes);
  }

  /** Returns the entry of the history that has a change. */
  #entryOf(changeId: string): ChangeRecord | undefined {
    const { store } = this.#workspace.ports;
    const found = store.find(changeId);
    return found && store.entry(found.docId, found.seq);
  }
}
