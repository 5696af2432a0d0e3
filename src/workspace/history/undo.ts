import type { BatchMark, ChangeRecord } from "../../store/store.ts";
import { invert } from "../../text/splice.ts";
import { type Actor, DISK } from "../access/actor.ts";
import type { Editor } from "../edits/editor.ts";
import { type EditRequest, type EditResult, isRefused } from "../edits/request.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { OncePerOpId } from "../once.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { versionOf } from "../versions/version.ts";
import { type History, isBy } from "./history.ts";
import { type FileChange, isFileChange, undoFileChange } from "./undo-file.ts";
import { everythingOf, type SpanPreview, UndoSpan, type UndoTarget } from "./undo-span.ts";

/** The changes to undo: one change, all of a batch, or the newest of an agent; by default the caller's own newest. */
export interface UndoRequest extends Pick<EditRequest, "ack" | "opId" | "message"> {
  readonly changeId?: string | undefined;
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
  readonly #once = new OncePerOpId();
  /** Undoes many changes as one batch. */
  readonly span: UndoSpan;

  constructor(workspace: Workspace, editor: Editor, history: History) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#history = history;
    this.span = new UndoSpan(workspace, editor);
  }

  /** Undoes a change or a batch. A repeated `opId` gets the first answer; of a batch, that of its first file. */
  undo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    return this.#onceFor(actor, request, () => this.#undo(actor, request));
  }

  /** Redoes an undone change; `opId` as for undo. */
  redo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    return this.#onceFor(actor, request, () => this.#redo(actor, request));
  }

  /** Shows what undoing everything of an agent would do; changes nothing. */
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
    if (changeId !== undefined) return this.#one(actor, "undo", request, this.#named(actor, changeId));
    if ((request.since ?? request.session) !== undefined) return this.#undoSpan(actor, request);
    return this.#unit(actor, "undo", request, (change) => {
      if (this.#isUndo(change)) return false;
      return batchId === undefined ? isBy(change, agent) : this.#first(change).batch?.id === batchId;
    });
  }

  async #redo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    const { changeId, batchId } = request;
    const agent = whose(actor, request);
    if (changeId !== undefined) {
      const found = await this.#seenBy(actor).findChange(changeId);
      if (isRefusal(found) && found.code === "IGNORED") return found;
      const named = isRefusal(found) ? changeId : found.change.id;
      const isMeant = ({ id, undoes }: ChangeRecord) =>
        undoes !== undefined && (undoes === named || id === named);
      return this.#one(actor, "redo", request, this.#newest(actor, request, isMeant));
    }
    return this.#unit(actor, "redo", request, (change) => {
      if (!this.#isUndo(change)) return false;
      if (batchId !== undefined)
        return [change, this.#first(change)].some(({ batch }) => batch?.id === batchId);
      return isBy(change, agent) || isBy(this.#undoneBy(change), agent);
    });
  }

  async #undoSpan(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    const targets = await this.#everything(actor, request);
    if (isRefusal(targets)) return targets;
    const made = await this.span.make(actor, targets, request);
    return !isRefusal(made) && made.length === 0 ? nothing("undo", whose(actor, request)) : made;
  }

  async #everything(actor: Actor, request: UndoRequest): Promise<Outcome<readonly UndoTarget[]>> {
    const agent = whose(actor, request);
    const targets = await everythingOf(this.#history.entries(this.#seenBy(actor), request), {
      ...request,
      agent,
    });
    return targets.length === 0 ? nothing("undo", agent) : targets;
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
    if (isFileChange(change)) return this.#fileChange(actor, target.record.path, change);
    const done = await this.#editor.apply(actor, [takingBack(target, kind, request)], { opId: request.opId });
    return isRefused(done) ? done.refused[0]!.refusal : done.made;
  }

  async #fileChange(actor: Actor, path: string, change: FileChange): Promise<Outcome<readonly EditResult[]>> {
    const guarded = new GuardedWorkspace(this.#workspace, actor, "write");
    const document = await guarded.opened(path);
    if (isRefusal(document)) return document;
    const result = await undoFileChange(guarded, document, change);
    return isRefusal(result) ? result : [result];
  }

  /** Undoes the newest change that is meant, and with it the other changes of its batch (R10). */
  async #unit(
    actor: Actor,
    kind: "undo" | "redo",
    request: UndoRequest,
    isMeant: (change: ChangeRecord) => boolean,
  ): Promise<Outcome<readonly EditResult[]>> {
    const refused = await this.#unwritable(actor, request);
    if (refused !== undefined) return refused;
    const newest = await this.#newest(actor, request, isMeant);
    if (newest === undefined) return nothing(kind, request.batchId ?? whose(actor, request));
    const { batch } = newest.change;
    if (batch === undefined) return this.#one(actor, kind, request, Promise.resolve(newest));
    const targets = await this.#batch(batch);
    if (targets.some(({ record }) => !actor.rights.allows(record.path, "read"))) return partOnly();
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

  /** Returns all changes of a batch that are not undone, readable to the caller or not. */
  async #batch({ id, size }: BatchMark): Promise<UndoTarget[]> {
    const targets: UndoTarget[] = [];
    let found = 0;
    for await (const { record, change, undone } of this.#history.entries(this.#seenBy(DISK), {
      withIgnored: true,
    })) {
      if (change.batch?.id !== id) continue;
      if (!undone) targets.push({ record, change });
      if (++found === size) break;
    }
    return targets;
  }

  /** Finds the newest change that is not undone and that the request selects. */
  async #newest(
    actor: Actor,
    { path, changeId }: UndoRequest,
    isMeant: (change: ChangeRecord) => boolean,
  ): Promise<UndoTarget | undefined> {
    const { store } = this.#workspace.ports;
    const docId = changeId === undefined ? undefined : store.find(changeId)?.docId;
    const only = path ?? (docId === undefined ? undefined : store.document(docId)?.path);
    if (changeId !== undefined && only === undefined) return undefined;
    const moments = this.#history.entries(this.#seenBy(actor), { path: only });
    for await (const { record, change, undone } of moments)
      if (!undone && (change.seq > 0 || isFileChange(change)) && isMeant(change)) return { record, change };
    return undefined;
  }

  async #named(actor: Actor, changeId: string): Promise<Outcome<UndoTarget>> {
    const guarded = this.#seenBy(actor);
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
    return new Refusal("CONFLICT", `${changeId} was undone already; nothing was changed`, {
      suggestion: "redo makes it again.",
    });
  }

  /** Returns the workspace as far as an actor may read its history; the editor checks whether they may undo. */
  #seenBy(actor: Actor): GuardedWorkspace {
    return new GuardedWorkspace(this.#workspace, actor, "read");
  }

  /** Returns why the actor may not undo anything in the named document, if the request names one. */
  async #unwritable(actor: Actor, { path }: UndoRequest): Promise<Refusal | undefined> {
    if (path === undefined) return undefined;
    const document = await new GuardedWorkspace(this.#workspace, actor, "write").opened(path);
    return isRefusal(document) ? document : undefined;
  }

  /** Returns true for a redo of a change, however often undo and redo alternated in between. */
  #makesAgain(change: ChangeRecord, changeId: string): boolean {
    return change.undoes !== undefined && !this.#isUndo(change) && this.#first(change).id === changeId;
  }

  /** Returns the change that was undone and redone since. */
  #first(change: ChangeRecord): ChangeRecord {
    const before = this.#undoneBy(change);
    return before === undefined ? change : this.#first(before);
  }

  /** Returns true for a change that undoes another; an undone undo makes the change again. */
  #isUndo(change: ChangeRecord): boolean {
    let depth = 0;
    for (let at: ChangeRecord | undefined = change; at?.undoes !== undefined; at = this.#undoneBy(at))
      depth++;
    return depth % 2 === 1;
  }

  #undoneBy({ undoes }: ChangeRecord): ChangeRecord | undefined {
    const { store } = this.#workspace.ports;
    const found = undoes === undefined ? undefined : store.find(undoes);
    return found && store.entry(found.docId, found.seq);
  }
}

/** Returns the edit that undoes a change and keeps all later ones. */
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

/** The refusal of a batch that is undone as a whole or not at all. */
function partOnly(): Refusal {
  return new Refusal(
    "PERMISSION_DENIED",
    "the batch also changed documents that this token cannot read; nothing was changed",
    {
      suggestion: "Name one change of it in changeId, or ask the owner of the workspace.",
    },
  );
}

function nothing(what: "undo" | "redo", whose: string): Refusal {
  return new Refusal("NOT_FOUND", `there is nothing to ${what} of ${JSON.stringify(whose)}`, {
    suggestion: "history.list shows each change, its author, and whether it was undone.",
  });
}
