import type { FileProblem, Image } from "../../mirror/files.ts";
import type { Mirror } from "../../mirror/mirror.ts";
import type { Blocked, Wanted } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import { storeFailure } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import type { Actor } from "../access/actor.ts";
import type { Cause, FileOnDisk } from "../journal/change.ts";
import type { Outcome } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import type { Context } from "./context.ts";
import type { DocumentState } from "./document-state.ts";
import type { SaveIntake } from "./save-intake.ts";

/** The details of a rename that is not from the document's path. */
export interface Naming {
  /** The former path, for a file that was put aside meanwhile. */
  readonly from?: string;
  /** True for a file that is put aside, or comes back: neither the history nor listeners get it. */
  readonly isAside?: boolean;
  /** True for a rename that the history has already: a crash came before the document's new path was stored. */
  readonly isTold?: boolean;
  /** Resolves once the file's new place outlasts a power cut; never rejects. */
  readonly synced?: Promise<unknown>;
}

/**
 * Owns the events of a document's file as a whole: it is created again, renamed or removed. Each is a change of the
 * history. `cause` names the changes that it undoes.
 */
export class FileEvents {
  readonly #context: Context;
  readonly #state: DocumentState;
  readonly #saves: SaveIntake;
  readonly #mirror: Mirror;
  /** Resolves once no rename waits for its sync. */
  #synced: Promise<unknown> | undefined;

  constructor(context: Context, state: DocumentState, saves: SaveIntake, mirror: Mirror) {
    this.#context = context;
    this.#state = state;
    this.#saves = saves;
    this.#mirror = mirror;
  }

  /** Gives the document a file again, made by `actor`, which holds exactly `content`. */
  recreate(actor: Actor, path: DocPath, { content, image }: FileOnDisk, cause?: Cause): void {
    const state = this.#state;
    this.#mirror.moved(path, image);
    state.record.update({ path });
    state.revive(actor, cause);
    this.#saves.save(actor, "agent", content, image);
    // The file never held the text that was merged beside it; the history has that text.
    const rest = diff(state.text.toString(), content.text.toString());
    if (rest.length > 0) void state.commit(actor, state.draft(actor, rest, { origin: "agent" }));
    if (state.behind || rest.length > 0) this.#mirror.push();
  }

  /** Returns the document as its file gets it. */
  whole(): Wanted {
    const { journal, head, content } = this.#state;
    journal.begin(); // the file gets all joined edits or none, and the note of it comes after them
    // A power cut that took back a rename and a later write would leave a file that no record knows.
    const durable = this.#synced?.then(() => journal.durable) ?? journal.durable;
    durable.catch(() => undefined); // its caller may not need it any more
    return { mark: head.seq, content, durable };
  }

  /** Gives the document its file again, with its whole text. Returns the file's image, or the problem that prevents it. */
  async restored(actor: Actor, cause?: Cause): Promise<Outcome<Image | FileProblem>> {
    const state = this.#state;
    const { record, journal } = state;
    const { fileText } = state;
    const isCurrent = () => state.fileText === fileText;
    const whole = this.whole();
    const placement = await this.#mirror.place(whole, isCurrent, (image) => {
      this.#mirror.moved(state.path, image);
      state.landed(whole.mark, image);
      record.update({ landed: whole.mark });
      state.revive(actor, cause);
      record.seen({ image }, journal.durable);
    });
    switch (placement.is) {
      case "placed":
        return placement.image;
      case "prevented":
        return placement.problem;
      case "refused":
        // A file came meanwhile, and went: the staged version lacks what the document read from it.
        if (state.closed === undefined && !isCurrent()) return this.restored(actor, cause);
        return state.closed ?? storeRefusal(journal.failure!.error);
    }
  }

  /**
   * Notes that the file was renamed; resolves once that is stored. `image` is the file as the document has read it, and
   * undefined for a deleted document, which reads it next.
   */
  renamed(
    actor: Actor,
    to: DocPath,
    image: Image | undefined,
    cause?: Cause,
    { from = this.#state.path, isAside = false, isTold = false, synced }: Naming = {},
  ): Promise<void> {
    const { id: docId, record } = this.#state;
    this.#synced = synced;
    // A crash kept the file's return from the history.
    const isBack = !record.deleted && this.#state.head.file?.kind === "delete";
    if (isBack) void this.#state.fileEvent(actor, { kind: "create" });
    if (!isAside && !isTold) void this.#state.fileEvent(actor, { kind: "rename", from, to }, cause);
    this.#mirror.moved(to, image);
    const { durable } = this.#state.journal;
    record.moved(to, durable);
    if (image !== undefined) record.seen({ image }, durable);
    const { head } = this.#state;
    const change = head.file?.kind === "rename" ? { changeId: head.id } : {};
    if (!isAside)
      this.#state.announce({ type: "renamed", path: from, to, docId, author: actor.name, ...change });
    return this.#store();
  }

  /** Notes that the daemon removed the file; resolves once that is stored. */
  removed(actor: Actor, cause?: Cause): Promise<void> {
    this.#mirror.moved(this.#state.path, undefined);
    this.deleted(actor, cause);
    return this.#store();
  }

  /** Notes that the file is gone; only the history hears of it where there was none. */
  deleted(actor: Actor, cause?: Cause): void {
    const { path, id: docId, unwritten, record } = this.#state;
    const hadFile = !record.deleted;
    // After a crash the history may have the deletion already, and the record may not.
    if (this.#state.head.file?.kind !== "delete")
      void this.#state.fileEvent(actor, { kind: "delete" }, cause);
    record.markDeleted(this.#context.ports.clock.now());
    if (!hadFile) return;
    const { id: changeId } = this.#state.head;
    const author = actor.name;
    this.#state.announce({ type: "deleted", path, docId, author, changeId, unsaved: unwritten.length });
  }

  /** Reports the problem that prevents the daemon from reading or writing the file, or, without a problem, its end. */
  blocked(problem: Blocked | undefined): void {
    const { path } = this.#state;
    const event = problem ? "mirror.blocked" : "mirror.recovered";
    this.#context.ports.report(event, { path, problem: problem?.kind });
    this.#state.announce(problem ? { type: "blocked", path, problem } : { type: "recovered", path });
  }

  /**
   * Stores the file's record, after the event: machines that share the document know the event only. On a failure
   * maintenance tries again, and a restart looks at the file itself.
   */
  async #store(): Promise<void> {
    const { journal, record, path } = this.#state;
    const refused = await storeFailure(journal.durable);
    const failure = refused ?? (this.#state.closed === undefined && (await storeFailure(record.save())));
    if (failure) this.#context.ports.report("document.unnoted", { path, reason: failure.message });
  }
}
