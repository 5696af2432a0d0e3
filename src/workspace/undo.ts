import type { ChangeRecord, DocumentRecord } from "../store/store.ts";
import { invert } from "../text/splice.ts";
import type { Actor } from "./actor.ts";
import type { Editor, EditRequest, EditResult } from "./edit.ts";
import { GuardedWorkspace } from "./guarded.ts";
import { type History, isBy } from "./history.ts";
import { isRefusal, type Outcome, Refusal } from "./refusal.ts";
import { versionOf } from "./version.ts";
import type { Workspace } from "./workspace.ts";

/** Which change is meant: one by its id, or the newest of an agent; the caller's own newest without either. */
export interface UndoRequest extends Pick<EditRequest, "ack" | "opId" | "message"> {
  readonly changeId?: string | undefined;
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

  constructor(workspace: Workspace, editor: Editor, history: History) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#history = history;
  }

  async undo(actor: Actor, request: UndoRequest): Promise<Outcome<EditResult>> {
    const refused = await this.#unwritable(actor, request);
    if (refused !== undefined) return refused;
    const guarded = new GuardedWorkspace(this.#workspace, actor, "read");
    const target =
      request.changeId === undefined
        ? await this.#newest(
            guarded,
            request,
            (change) => !this.#isUndo(change) && isBy(change, whose(actor, request)),
          )
        : await this.#named(guarded, request.changeId, request.hides);
    if (isRefusal(target)) return target;
    if (target === undefined) return nothing("undo", whose(actor, request));
    return this.#takeBack(actor, target, "undo", request);
  }

  async redo(actor: Actor, request: UndoRequest): Promise<Outcome<EditResult>> {
    const { changeId } = request;
    const agent = whose(actor, request);
    const isMeant = (change: ChangeRecord) =>
      changeId === undefined
        ? this.#isUndo(change) && (isBy(change, agent) || isBy(this.#undoneBy(change), agent))
        : change.undoes !== undefined && (change.undoes === changeId || change.id === changeId);
    const refused = await this.#unwritable(actor, request);
    if (refused !== undefined) return refused;
    const guarded = new GuardedWorkspace(this.#workspace, actor, "read");
    const target = await this.#newest(guarded, request, isMeant);
    if (target === undefined) return nothing("redo", changeId ?? agent);
    return this.#takeBack(actor, target, "redo", request);
  }

  /** Why nothing may be taken back in the document that is named, if one is. */
  async #unwritable(actor: Actor, { path }: UndoRequest): Promise<Refusal | undefined> {
    if (path === undefined) return undefined;
    const document = await new GuardedWorkspace(this.#workspace, actor, "write").opened(path);
    return isRefusal(document) ? document : undefined;
  }

  async #takeBack(
    actor: Actor,
    { record, change }: Target,
    kind: "undo" | "redo",
    { ack, opId, message }: UndoRequest,
  ): Promise<Outcome<EditResult>> {
    const splices = invert(change.splices, change.removed);
    return this.#editor.edit(actor, {
      ack,
      opId,
      message,
      kind,
      path: record.path,
      plan: () => ({ splices }),
      version: versionOf(change),
      undoes: change,
    });
  }

  /** The newest change that counts and is meant. */
  async #newest(
    guarded: GuardedWorkspace,
    { path, hides, changeId }: UndoRequest,
    isMeant: (change: ChangeRecord) => boolean,
  ): Promise<Target | undefined> {
    const { store } = this.#workspace.ports;
    const docId = changeId === undefined ? undefined : store.find(changeId)?.docId;
    const only = path ?? (docId === undefined ? undefined : store.document(docId)?.path);
    if (changeId !== undefined && (only === undefined || hides(only))) return undefined;
    for await (const { record, change, undone } of this.#history.moments(guarded, { path: only, hides }))
      if (!undone && change.seq > 0 && isMeant(change)) return { record, change };
    return undefined;
  }

  async #named(
    guarded: GuardedWorkspace,
    changeId: string,
    hides: (path: string) => boolean,
  ): Promise<Outcome<Target>> {
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
    const moments = this.#history.moments(guarded, { path: document.path, hides });
    for await (const { change: at, undone } of moments) {
      if (!undone && (at.id === changeId || this.#makesAgain(at, changeId)))
        return { record: document, change: at };
      if (at.id === changeId) break;
    }
    return new Refusal("CONFLICT", `${changeId} was undone already; nothing was changed`, {
      suggestion: "redo makes it again.",
    });
  }

  /** True of a redo, however often it went back and forth in between. */
  #makesAgain(change: ChangeRecord, changeId: string): boolean {
    if (change.undoes === undefined || this.#isUndo(change)) return false;
    let first = change;
    for (let at = this.#undoneBy(first); at !== undefined; at = this.#undoneBy(at)) first = at;
    return first.id === changeId;
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

function whose(actor: Actor, { agent }: UndoRequest): string {
  return agent ?? actor.agent;
}

function nothing(what: "undo" | "redo", whose: string): Refusal {
  return new Refusal("NOT_FOUND", `there is nothing to ${what} of ${JSON.stringify(whose)}`, {
    suggestion: "history.list tells what was done, by whom, and what was undone.",
  });
}
