import type { BatchMark, ChangeRecord, DocumentRecord } from "../../store/store.ts";
import { invert } from "../../text/splice.ts";
import { type Actor, DISK } from "../access/actor.ts";
import { answerOf, type Editor } from "../edits/editor.ts";
import type { EditRequest, EditResult } from "../edits/request.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { versionOf } from "../versions/version.ts";
import { type History, isBy } from "./history.ts";

/** What is meant: one change, all of a batch, or the newest of an agent; the caller's own newest without any. */
export interface UndoRequest extends Pick<EditRequest, "ack" | "opId" | "message"> {
  readonly changeId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly agent?: string | undefined;
  /** Only changes of this document. */
  readonly path?: string | undefined;
  readonly hides: (path: string) => boolean;
}

interface Target {
  readonly record: Pick<DocumentRecord, "path">;
  readonly change: ChangeRecord;
}

/**
 * Takes changes back and makes them again, by changes of their own (R10). An undo takes a change back, a redo an
 * undo; what was taken back in turn counts as if it had not been. Nothing is erased, so both outlive restarts.
 */
export class Undo {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #history: History;
  readonly #byOpId = new KeyedQueue<string>();

  constructor(workspace: Workspace, editor: Editor, history: History) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#history = history;
  }

  /** Takes a change or a batch back. The same `opId` gets the first answer again, of a batch that of its first file. */
  undo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    return this.#once(actor, request, () => this.#undo(actor, request));
  }

  /** Makes again what was undone; an `opId` as for undo. */
  redo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    return this.#once(actor, request, () => this.#redo(actor, request));
  }

  /** Those with the same `opId` are seen to one after the other: what is meant depends on what the first one did. */
  #once(
    actor: Actor,
    request: UndoRequest,
    work: () => Promise<Outcome<readonly EditResult[]>>,
  ): Promise<Outcome<readonly EditResult[]>> {
    if (request.opId === undefined) return work();
    return this.#byOpId.run([JSON.stringify([actor.agent, request.opId])], async () => {
      const answer = await this.#editor.again(actor, request);
      if (answer === undefined) return work();
      return isRefusal(answer) ? answer : [answer];
    });
  }

  #undo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    const { changeId, batchId } = request;
    const agent = whose(actor, request);
    if (changeId !== undefined)
      return this.#one(actor, "undo", request, this.#named(actor, changeId, request.hides));
    return this.#unit(actor, "undo", request, (change) => {
      if (this.#isUndo(change)) return false;
      return batchId === undefined ? isBy(change, agent) : this.#first(change).batch?.id === batchId;
    });
  }

  #redo(actor: Actor, request: UndoRequest): Promise<Outcome<readonly EditResult[]>> {
    const { changeId, batchId } = request;
    const agent = whose(actor, request);
    if (changeId !== undefined) {
      const isMeant = ({ id, undoes }: ChangeRecord) =>
        undoes !== undefined && (undoes === changeId || id === changeId);
      return this.#one(actor, "redo", request, this.#newest(actor, request, isMeant));
    }
    return this.#unit(actor, "redo", request, (change) => {
      if (!this.#isUndo(change)) return false;
      if (batchId !== undefined) return this.#first(change).batch?.id === batchId;
      return isBy(change, agent) || isBy(this.#undoneBy(change), agent);
    });
  }

  async #one(
    actor: Actor,
    kind: "undo" | "redo",
    request: UndoRequest,
    finding: Promise<Outcome<Target | undefined>>,
  ): Promise<Outcome<readonly EditResult[]>> {
    const target = await finding;
    if (isRefusal(target)) return target;
    if (target === undefined) return nothing(kind, request.changeId!);
    const result = await this.#editor.edit(actor, takingBack(target, kind, request));
    return isRefusal(result) ? result : [result];
  }

  /** Takes back the newest change that is meant, and with it the others of its batch (R10). */
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
    const targets = await this.#batch(batch, request.hides);
    if (targets.some(({ record }) => !actor.rights.allows(record.path, "read"))) return partOnly(kind);
    const requests = targets.map((target) => takingBack(target, kind, request));
    const done = await this.#editor.together(actor, requests, {
      batch: this.#workspace.newId("bat"),
      keep: (made) => answerOf(actor, request, made),
    });
    if ("made" in done) return done.made;
    const { refusal, index } = done.refused[0]!;
    if (index === undefined) return refusal;
    const { code, message, suggestion, details } = refusal;
    return new Refusal(code, `${requests[index]!.path}: ${message}`, {
      ...(suggestion && { suggestion }),
      details,
    });
  }

  /** All changes of a batch that are not undone, whoever may know of them. */
  async #batch({ id, size }: BatchMark, hides: (path: string) => boolean): Promise<Target[]> {
    const targets: Target[] = [];
    let found = 0;
    for await (const { record, change, undone } of this.#history.entries(this.#seenBy(DISK), { hides })) {
      if (change.batch?.id !== id) continue;
      if (!undone) targets.push({ record, change });
      if (++found === size) break;
    }
    return targets;
  }

  /** The newest change that counts and is meant. */
  async #newest(
    actor: Actor,
    { path, hides, changeId }: UndoRequest,
    isMeant: (change: ChangeRecord) => boolean,
  ): Promise<Target | undefined> {
    const { store } = this.#workspace.ports;
    const docId = changeId === undefined ? undefined : store.find(changeId)?.docId;
    const only = path ?? (docId === undefined ? undefined : store.document(docId)?.path);
    if (changeId !== undefined && (only === undefined || hides(only))) return undefined;
    const moments = this.#history.entries(this.#seenBy(actor), { path: only, hides });
    for await (const { record, change, undone } of moments)
      if (!undone && change.seq > 0 && isMeant(change)) return { record, change };
    return undefined;
  }

  async #named(actor: Actor, changeId: string, hides: (path: string) => boolean): Promise<Outcome<Target>> {
    const guarded = this.#seenBy(actor);
    const found = await guarded.findChange(changeId);
    if (isRefusal(found)) return found;
    const { document, change } = found;
    if (change.seq === 0)
      return new Refusal(
        "INVALID_ARGUMENT",
        `${changeId} is how ${document.path} began; nothing comes before it`,
        {
          suggestion: "doc.delete removes the document.",
        },
      );
    for await (const { change: at, undone } of this.#history.entries(guarded, {
      path: document.path,
      hides,
    })) {
      if (!undone && (at.id === changeId || this.#makesAgain(at, changeId)))
        return { record: document, change: at };
      if (at.id === changeId) break;
    }
    return new Refusal("CONFLICT", `${changeId} was undone already; nothing was changed`, {
      suggestion: "redo makes it again.",
    });
  }

  /** The workspace as far as somebody may know what was done there; whether they may undo it is the editor's to say. */
  #seenBy(actor: Actor): GuardedWorkspace {
    return new GuardedWorkspace(this.#workspace, actor, "read");
  }

  /** Why nothing may be taken back in the document that is named, if one is. */
  async #unwritable(actor: Actor, { path }: UndoRequest): Promise<Refusal | undefined> {
    if (path === undefined) return undefined;
    const document = await new GuardedWorkspace(this.#workspace, actor, "write").opened(path);
    return isRefusal(document) ? document : undefined;
  }

  /** True of a redo, however often it went back and forth in between. */
  #makesAgain(change: ChangeRecord, changeId: string): boolean {
    return change.undoes !== undefined && !this.#isUndo(change) && this.#first(change).id === changeId;
  }

  /** The change that was undone and made again since. */
  #first(change: ChangeRecord): ChangeRecord {
    const before = this.#undoneBy(change);
    return before === undefined ? change : this.#first(before);
  }

  /** True of a change that takes one back; one that takes an undo back makes a change again. */
  #isUndo(change: ChangeRecord): boolean {
    let depth = 0;
    for (let at: ChangeRecord | undefined = change; at?.undoes !== undefined; at = this.#undoneBy(at))
      depth++;
    return depth % 2 === 1;
  }

  #undoneBy({ undoes }: ChangeRecord): ChangeRecord | undefined {
    const { store } = this.#workspace.ports;
    const found = undoes === undefined ? undefined : store.find(undoes);
    return found && store.change(found.docId, found.seq);
  }
}

/** The edit that takes a change back, keeping all that came after. */
function takingBack(
  { record, change }: Target,
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

/** One batch is undone as one, or not at all. */
function partOnly(what: "undo" | "redo"): Refusal {
  return new Refusal(
    "PERMISSION_DENIED",
    `the batch is not this token's alone to ${what}; nothing was changed`,
    {
      suggestion: "Name one change of it in changeId, or ask the owner of the workspace.",
    },
  );
}

function nothing(what: "undo" | "redo", whose: string): Refusal {
  return new Refusal("NOT_FOUND", `there is nothing to ${what} of ${JSON.stringify(whose)}`, {
    suggestion: "history.list tells what was done, by whom, and what was undone.",
  });
}
