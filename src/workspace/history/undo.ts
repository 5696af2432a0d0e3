import type { ChangeRecord } from "../../store/store.ts";
import { invert } from "../../text/splice.ts";
import type { Actor } from "../access/actor.ts";
import type { Editor } from "../edits/editor.ts";
import { type EditRequest, type EditResult, isRefused } from "../edits/request.ts";
import type { FileBatches } from "../folder/file-batch.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { OncePerOpId } from "../once.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { versionOf } from "../versions/version.ts";
import { type History, isBy } from "./history.ts";
import { openTarget } from "./open-target.ts";
import { type FileChange, isFileChange, undoFileChange } from "./undo-file.ts";
import { nothing, nothingSince } from "./undo-refusals.ts";
import { everythingOf, type SpanPreview, UndoSpan, type UndoTarget } from "./undo-span.ts";
import { UndoTargets } from "./undo-targets.ts";

/** The changes to undo: one change, all of a batch, or the newest of an agent; by default the caller's own newest. */
export interface UndoRequest extends Pick<EditRequest, "ack" | "opId" | "message"> {
  readonly changeId?: string | undefined;
  /** Several changes, all of them or none. */
  readonly changeIds?: readonly string[] | undefined;
  readonly batchId?: string | undefined;
  readonly agent?: string | undefined;
  /** Everything of the agent since this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Everything of the agent in this session. */
  readonly session?: string | undefined;
  /** Restricts the search to changes of this document. */
  readonly path?: string | undefined;
}

/**
 * Undoes and redoes changes, by new changes (R10). An undo undoes a change, a redo undoes an undo; an undone undo has
 * no effect any more. The history erases no change, so undo and redo work across restarts.
 */
export class Undo {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #history: History;
  readonly #targets: UndoTargets;
  readonly #once = new OncePerOpId();
  /** Undoes many changes as one batch. */
  readonly span: UndoSpan;

  constructor(workspace: Workspace, editor: Editor, history: History, files: FileBatches) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#history = history;
    this.#targets = new UndoTargets(workspace, history);
    this.span = new UndoSpan(workspace, editor, files);
  }

  /** Undoes a change or a batch. A repeated `opId` gets the first answer; of a batch, that of its first file. */
  undo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    return this.#onceFor(actor, request, () => this.#undo(actor, request));
  }

  /** Redoes an undone change; `opId` as for undo. */
  redo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    return this.#onceFor(actor, request, () => this.#redo(actor, request));
  }

  /** Returns the batch of the changes that an undo or a redo made; undefined where they are of none. */
  batchOf(results: readonly EditResult[]): string | undefined {
    const made = results.find(({ changeId }) => changeId !== null)?.changeId;
    const at = made == null ? undefined : this.#workspace.ports.store.find(made);
    return at && this.#workspace.storedChange(at.docId, at.seq)?.batch?.id;
  }

  /** Shows the effect of undoing all changes of an agent; changes nothing. */
  previewSpan(actor: Actor, request: UndoRequest): Promise<Outcome<SpanPreview>> {
    return this.span.preview(actor, () => this.#everything(actor, request), request);
  }

  /** Does the work once per `opId`, because a second undo would undo another change. */
  #onceFor(
    actor: Actor,
    request: UndoRequest,
    work: () => Promise<Outcome<readonly EditResult[]>>,
  ): Promise<Outcome<readonly EditResult[]>> {
    const earlier = async () => {
      const answer = await this.#editor.earlierAnswer(actor, request);
      return answer === undefined || isRefusal(answer) ? answer : [answer];
    };
    return this.#once.run<Outcome<readonly EditResult[]>>(actor.agent, request.opId, earlier, work);
  }

  #undo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    const { changeId, batchId } = request;
    const agent = whose(actor, request);
    if (changeId !== undefined)
      return this.#one(actor, "undo", request, this.#targets.named(actor, changeId));
    if (request.changeIds !== undefined) return this.#several(actor, "undo", request.changeIds, request);
    if ((request.since ?? request.session) !== undefined) return this.#undoSpan(actor, request);
    return this.#unit(actor, "undo", request, (change) => {
      if (batchId !== undefined && change.batch?.id === batchId) return true;
      if (this.#targets.isUndo(change)) return false;
      return batchId === undefined ? isBy(change, agent) : this.#targets.first(change).batch?.id === batchId;
    });
  }

  async #redo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    const { changeId, batchId } = request;
    const agent = whose(actor, request);
    if (changeId !== undefined) {
      const found = await this.#targets.seenBy(actor).findChange(changeId);
      if (isRefusal(found) && found.code === "IGNORED") return found;
      const named = isRefusal(found) ? changeId : found.change.id;
      const isMeant = ({ id, undoes }: ChangeRecord) =>
        undoes !== undefined && (undoes === named || id === named);
      return this.#one(actor, "redo", request, this.#targets.newest(actor, request, isMeant));
    }
    if (request.changeIds !== undefined) return this.#several(actor, "redo", request.changeIds, request);
    return this.#unit(actor, "redo", request, (change) => {
      if (!this.#targets.isUndo(change)) return false;
      if (batchId !== undefined)
        return [change, this.#targets.first(change)].some(({ batch }) => batch?.id === batchId);
      return isBy(change, agent) || isBy(this.#targets.undoneBy(change), agent);
    });
  }

  /** Undoes changes that are named, or the undoing of them, as one batch. */
  async #several(
    actor: Actor,
    kind: "undo" | "redo",
    changeIds: readonly string[],
    request: UndoRequest,
  ): Promise<Outcome<readonly EditResult[]>> {
    const targets =
      kind === "undo"
        ? await this.#targets.allNamed(actor, changeIds)
        : await this.#targets.allUndoing(actor, changeIds);
    if (isRefusal(targets)) return targets;
    const newestFirst = targets.toSorted(
      (a, b) => b.change.time - a.change.time || b.change.seq - a.change.seq,
    );
    const made = await this.span.make(actor, newestFirst, request);
    return !isRefusal(made) && made.length === 0 ? nothing(kind, changeIds.join(", ")) : made;
  }

  async #undoSpan(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    const targets = await this.#everything(actor, request);
    if (isRefusal(targets)) return targets;
    const made = await this.span.make(actor, targets, request);
    return !isRefusal(made) && made.length === 0 ? nothingSince(request) : made;
  }

  async #everything(actor: Actor, request: UndoRequest): Promise<Outcome<readonly UndoTarget[]>> {
    const agent = whose(actor, request);
    const targets = await everythingOf(this.#history.entries(this.#targets.seenBy(actor), request), {
      ...request,
      agent,
    });
    return targets.length === 0 ? nothingSince(request) : targets;
  }

  async #one(
    actor: Actor,
    kind: "undo" | "redo",
    request: UndoRequest,
    finding: Promise<Outcome<UndoTarget | undefined>>,
  ): Promise<Outcome<readonly EditResult[]>> {
    const target = await finding;
    if (isRefusal(target)) return target;
    if (target === undefined) return nothing(kind, request.changeId!);
    const { change } = target;
    if (isFileChange(change)) return this.#fileChange(actor, target, change, request);
    const done = await this.#editor.apply(actor, [takingBack(target, kind, request)], { opId: request.opId });
    return isRefused(done) ? done.refused[0]!.refusal : done.made;
  }

  async #fileChange(
    actor: Actor,
    { record }: UndoTarget,
    change: FileChange,
    { opId }: UndoRequest,
  ): Promise<Outcome<readonly EditResult[]>> {
    const guarded = new GuardedWorkspace(this.#workspace, actor, "write");
    const document = await openTarget(guarded, record);
    if (isRefusal(document)) return document;
    const result = await undoFileChange({ workspace: guarded, actor, opId }, document, change);
    return isRefusal(result) ? result : [result];
  }

  /** Undoes the newest change that is meant, and with it the other changes of its batch that the actor may read (R10). */
  async #unit(
    actor: Actor,
    kind: "undo" | "redo",
    request: UndoRequest,
    isMeant: (change: ChangeRecord) => boolean,
  ): Promise<Outcome<readonly EditResult[]>> {
    const refused = await this.#unwritable(actor, request);
    if (refused !== undefined) return refused;
    const newest = await this.#targets.newest(actor, request, isMeant);
    if (isRefusal(newest)) return newest;
    if (newest === undefined) return nothing(kind, request.batchId ?? request.agent, request.path);
    const { batch } = newest.change;
    if (batch === undefined) return this.#one(actor, kind, request, Promise.resolve(newest));
    const targets = await this.#targets.ofBatch(actor, batch);
    if (targets.some(({ change }) => isFileChange(change))) return this.span.make(actor, targets, request);
    const requests = targets.map((target) => takingBack(target, kind, request));
    const options = { opId: request.opId, batch: { id: this.#workspace.newId("bat") } };
    const done = await this.#editor.apply(actor, requests, options);
    if (!isRefused(done)) return done.made;
    const { refusal, index } = done.refused[0]!;
    if (index === undefined) return refusal;
    const { code, message, suggestion, details } = refusal;
    return new Refusal(code, `${requests[index]!.path}: ${message}`, {
      ...(suggestion && { suggestion }),
      details,
    });
  }

  /** Returns why the actor may not undo anything in the named document, if the request names one. */
  async #unwritable(actor: Actor, { path }: UndoRequest): Promise<Refusal | undefined> {
    if (path === undefined) return undefined;
    const document = await new GuardedWorkspace(this.#workspace, actor, "write").opened(path);
    return isRefusal(document) ? document : undefined;
  }
}

/** Returns the edit that undoes a change and preserves all later ones. */
function takingBack(
  { record, change }: UndoTarget,
  kind: "undo" | "redo",
  { ack, opId, message }: UndoRequest,
): EditRequest {
  const splices = invert(change.splices, change.removed);
  const version = versionOf(change);
  return { ack, opId, message, kind, path: record.path, plan: () => ({ splices }), version, undoes: change };
}

function whose(actor: Actor, { agent }: UndoRequest): string {
  return agent ?? actor.agent;
}
