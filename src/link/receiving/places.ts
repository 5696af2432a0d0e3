import { isFileProblem } from "../../mirror/files.ts";
import { besidePath, type DocPath } from "../../mirror/path.ts";
import { folded } from "../../paths/glob.ts";
import { storeFailure } from "../../store/store.ts";
import { type Actor, RESCUER } from "../../workspace/access/actor.ts";
import type { Document } from "../../workspace/document/document.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import type { Cause } from "../../workspace/journal/change.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import { reportOnce } from "../base/report-once.ts";
import { hasUnsent } from "../sending/collect.ts";
import type { Outbox } from "../sending/outbox.ts";
import type { LinkState } from "../state/link-state.ts";

/** An operation on the file of a document, by its author on another machine. */
export interface Doing {
  readonly id: string;
  readonly actor: Actor;
  readonly cause: Cause;
}

interface PlacesParts {
  readonly workspace: Workspace;
  readonly state: LinkState;
  /** The name of this machine. */
  readonly machineName: string;
  readonly outbox: Outbox;
  readonly signal: AbortSignal;
}

/** The name of a file while several files exchange their places in a circle. */
const MOVING = "moving";
/** The most steps of one attempt to bring a document to its place. */
const MOST_STEPS = 8;
const RETRY_MS = 1_000;

/**
 * Brings the files of shared documents to their places, which follow from the names that all machines know (M8): it
 * renames, removes and restores files. It tries again later where that is not possible now.
 */
export class Places {
  readonly #parts: PlacesParts;
  readonly #unplaced = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #retrying = false;
  readonly #reportOnce: ReturnType<typeof reportOnce>;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
    this.#reportOnce = reportOnce(parts.workspace.ports.report);
  }

  /**
   * Brings each of these documents to its place; undefined if all are there. `doing` returns the operation of another
   * machine on one of them.
   */
  settle(ids: readonly string[], doing?: () => Doing): Promise<void> | undefined {
    if (ids.every((id) => this.#isThere(id))) return undefined;
    return this.#inTurn(() => this.#settleAll(ids, doing?.()));
  }

  /** Opens a document anew after a while, because the store refused a change of it, and brings it to its place. */
  settleLater(id: string): void {
    this.#unplaced.add(id);
    this.#retry();
  }

  /** Frees a path for a document. Returns false where the file there has to stay. */
  makeRoom(path: DocPath): Promise<boolean> {
    return this.#inTurn(() => this.#makeRoom(path, new Set()));
  }

  /** Resolves once nothing is under way. */
  async close(): Promise<void> {
    await this.#turn;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined); // its own caller gets the error
    return done;
  }

  async #settleAll(ids: Iterable<string>, doing?: Doing): Promise<void> {
    for (const id of ids) {
      if (this.#parts.signal.aborted) return;
      this.#unplaced.delete(id);
      const isSettled = await this.#settleOne(id, doing, new Set()).catch((error: unknown) => {
        // One document's defect stops no other document (I14).
        this.#parts.workspace.ports.report("link.defect", { doc: id, reason: String(error) });
        return false;
      });
      if (!isSettled) this.#unplaced.add(id);
    }
    this.#retry();
  }

  #retry(): void {
    if (this.#retrying || this.#unplaced.size === 0) return;
    const { workspace, signal } = this.#parts;
    this.#retrying = true;
    void workspace.ports.clock.sleep(RETRY_MS, signal).then(() => {
      this.#retrying = false;
      if (!signal.aborted) void this.settle([...this.#unplaced]);
    });
  }

  /** Returns true for a sound document that is at its place, or that this machine lacks. */
  #isThere(id: string): boolean {
    const { workspace, state } = this.#parts;
    const loaded = workspace.loaded.byId(id);
    const record = loaded === undefined ? workspace.ports.store.document(id) : undefined;
    if (record === undefined && loaded === undefined) return true;
    if (loaded?.failure !== undefined) return false;
    const isDeleted = loaded?.deleted ?? record?.deletedAt !== undefined;
    const path = isDeleted ? undefined : workspace.loaded.pathOf(id);
    return path === state.names.placeOf(id) && !(isDeleted && this.#isUntold(id));
  }

  /** Returns true for a deleted document whose history does not say so: who brought it back would tell nobody (MA107). */
  #isUntold(id: string): boolean {
    const { workspace } = this.#parts;
    const [newest] = workspace.ports.store.changes(id, { limit: 1 });
    return (workspace.loaded.byId(id)?.head ?? newest)?.file?.kind === "create";
  }

  /** Brings a document to its place, step by step. Returns false if that has to wait. */
  async #settleOne(id: string, doing: Doing | undefined, moving: Set<string>): Promise<boolean> {
    const { workspace, state } = this.#parts;
    moving.add(id);
    // The other machine's author made one step; further steps are this machine's own.
    let given = doing?.id === id ? doing : undefined;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      if (this.#isThere(id) || state.document(id)?.withheld !== undefined) return true;
      const document = await this.#open(id);
      if (document === undefined) return false;
      const { deleted } = document;
      const known = await this.#isKnown(document);
      if (known === "now" || this.#isThere(id)) continue;
      if (known === "not yet") return false;
      const place = state.names.placeOf(id);
      const { actor, cause } = given ?? this.#ownDoing();
      if (place === undefined) {
        if (isRefusal(await workspace.remove(actor, document, cause))) return false;
        given = undefined;
        continue;
      }
      if (!(await this.#makeRoom(place, moving))) return this.#refused(place, "ALREADY_EXISTS");
      if (state.names.placeOf(id) !== place || document.closed !== undefined) continue;
      if (document.deleted !== deleted) continue; // deleted or restored since, which no message has yet
      const done = document.deleted
        ? await workspace.restoreAt(actor, document, place, cause)
        : document.path === place
          ? undefined
          : await workspace.rename(actor, document, place, cause);
      if (isRefusal(done) && !(await this.#clearSpelling(id, place, moving)))
        return this.#refused(place, done.code);
      if (!isRefusal(done)) given = undefined;
    }
    return this.#isThere(id);
  }

  /**
   * Frees a path on a disk that folds names: another document has it in another spelling, so that no file is there and none
   * can come. Returns false if there is no such document, or it has to stay.
   */
  async #clearSpelling(id: string, path: DocPath, moving: Set<string>): Promise<boolean> {
    const { workspace } = this.#parts;
    const { files, store } = workspace.ports;
    if (!isFileProblem(files.look(path))) return false;
    const isThere = (one: { readonly id: string; readonly path: string }) =>
      one.id !== id && folded(workspace.loaded.pathOf(one.id) ?? one.path) === folded(path);
    const there = store.documents().find((one) => one.deletedAt === undefined && isThere(one));
    if (there === undefined) return false;
    if (!moving.has(there.id)) return this.#settleOne(there.id, undefined, moving);
    const document = await this.#open(there.id);
    return document !== undefined && this.#setAside(document, path, MOVING);
  }

  /** Gives a document a name beside a path, with a note. */
  async #setAside(document: Document, path: DocPath, note: string): Promise<boolean> {
    const { actor, cause } = this.#ownDoing();
    const aside = besidePath(path, `${note} ${document.id.slice(-6)}`);
    return !isRefusal(await this.#parts.workspace.rename(actor, document, aside, cause));
  }

  #refused(path: DocPath, reason: string): false {
    this.#reportOnce(`${path} ${reason}`, "link.unplaced", { path, reason });
    return false;
  }

  /** Opens a document by its id, also a deleted one whose path belongs to another by now. */
  async #open(id: string): Promise<Document | undefined> {
    const { workspace } = this.#parts;
    const opened: Outcome<Document> | undefined = await workspace.openedById(id);
    return opened === undefined || isRefusal(opened) ? undefined : opened;
  }

  /**
   * Sends the local changes of a document before its file is moved. Returns `now` if it has just sent some, so that the
   * place may be another one, and `not yet` while it cannot send them.
   */
  async #isKnown(document: Document): Promise<"known" | "now" | "not yet"> {
    const { state, workspace, outbox } = this.#parts;
    const { store } = workspace.ports;
    const { id } = document;
    const failure = await storeFailure(document.durable);
    if (failure !== undefined) return "not yet";
    if (!hasUnsent(store, id, state.document(id))) return "known";
    outbox.mark(id);
    await outbox.collected();
    return hasUnsent(store, id, state.document(id)) ? "not yet" : "now";
  }

  /** Frees a path that belongs to another document; documents in `moving` get a passing name. */
  async #makeRoom(path: DocPath, moving: Set<string>): Promise<boolean> {
    const { workspace, state, machineName } = this.#parts;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const seen = workspace.ports.files.look(path);
      if (isFileProblem(seen)) return seen.kind === "missing";
      const there = await workspace.open(path);
      if (isRefusal(there)) return false;
      if (there.path !== path) continue;
      const known = await this.#isKnown(there);
      if (known === "now") continue;
      if (known === "not yet" || state.names.placeOf(there.id) === path) return false;
      if (moving.has(there.id)) {
        // A document that is left out has no other place here, so its name beside this one stays.
        const isPassing = state.document(there.id)?.withheld === undefined;
        if (!(await this.#setAside(there, path, isPassing ? MOVING : machineName))) return false;
      } else if (!(await this.#settleOne(there.id, undefined, moving))) return false;
    }
    return false;
  }

  /**
   * Returns the author and the cause of this machine's own step. Each machine makes such a step by itself, and none
   * sends it.
   */
  #ownDoing(): Pick<Doing, "actor" | "cause"> {
    const { workspace, machineName } = this.#parts;
    const made = { id: workspace.newId("chg"), time: workspace.ports.clock.now(), machine: machineName };
    return { actor: RESCUER, cause: { made, origin: "remote" } };
  }
}
