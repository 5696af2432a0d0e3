import type { Image, ReadWatch, Staged } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import { Mirror } from "../../mirror/mirror.ts";
import type { Blocked, Fate, MirroredDocument, UnseenSave, Wanted } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import { storeFailure } from "../../store/store.ts";
import type { Document } from "../../workspace/document/document.ts";
import { unnoted } from "../../workspace/document/unnoted.ts";
import { fileIdOf, isUnseen, type LaneFileRecord } from "../records/record.ts";
import { TurnLooks } from "../records/turn-looks.ts";
import { begin, isUnread } from "./begin.ts";
import { isMade } from "./copied-document.ts";
import { FilePlace } from "./file-place.ts";
import { FileState, OVERTAKEN } from "./file-state.ts";
import type { LaneHost } from "./lane-host.ts";
import { takeInLate } from "./late-write.ts";
import { OneByOne } from "./one-by-one.ts";
import { CHANGED, TakeIn, type Taken } from "./take-in.ts";
import { GONE, orRefused, takeInWrite } from "./take-in-write.ts";

/**
 * One file of a lane while it is in use. Its mirror writes the document's changes into the file. The daemon takes in
 * each write of the agent as an edit, made from the version that the file had.
 *
 *     document changed ─► follow ─► mirror ─► landed
 *     file changed ─► mirror ─► saved ─► take in ─► edit, proposal, or refused
 */
export class LaneFile implements MirroredDocument {
  readonly mirror: Mirror;
  /** The state of the file. Other classes only read it. */
  readonly state: FileState;
  readonly #host: LaneHost;
  readonly #takeIn: TakeIn;
  readonly #work: OneByOne;
  readonly #turnLooks = new TurnLooks();
  readonly #place: FilePlace;
  #following: Promise<void> | undefined;
  #removing: Promise<void> | undefined;
  #closed = false;
  lastUsed: number;

  private constructor(host: LaneHost, state: FileState) {
    const { ports, limits } = host.workspace;
    this.#host = host;
    this.state = state;
    this.#takeIn = new TakeIn(host);
    this.#work = new OneByOne(this.broken.bind(this), () => this.mirror.push());
    this.lastUsed = ports.clock.elapsed();
    const own = { ...ports, files: host.files, turns: host.turns };
    const options = { ...limits, maxBytes: limits.maxFileBytes, mirrorEveryMs: () => limits.mirrorEveryMs };
    const { path, image } = state.record;
    this.mirror = new Mirror(own, options, this, fileIdOf(host.name, path), path, image);
    this.#place = new FilePlace(state, this.mirror, this.#turnLooks);
  }

  /** Opens a file of a lane, and its document. @throws as `begin` */
  static async open(...[host, record]: Parameters<typeof begin>): Promise<LaneFile> {
    return new LaneFile(host, new FileState(host, await begin(host, record)));
  }

  get path(): DocPath {
    return this.state.path;
  }

  /** True when no work is under way, so that this object may be dropped. */
  get restful(): boolean {
    return this.#work.waiting === 0 && this.mirror.idle && this.mirror.problem === undefined;
  }

  /** Stores what `open` found of a new file, and gives it its document's path. */
  begun(): Promise<void> {
    const { state } = this;
    return this.#inTurn(() => state.keep({}).then(() => state.document && this.#rename(state.document)));
  }

  /** Looks at the file; resolves once the daemon has taken in the finding. */
  async look(): Promise<void> {
    this.lastUsed = this.#host.workspace.ports.clock.elapsed();
    await this.mirror.fresh();
    await this.#work.settled();
  }

  /** Brings the file up to its document, or finds that the document now has the agent's writes. */
  follow(): Promise<void> {
    this.#following ??= this.#inTurn(() => this.#follow());
    return this.#following;
  }

  /** Notes that the agent renamed the file in the lane. */
  moved(to: DocPath, image: Image): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#closed) return this.#host.appeared(to); // its deletion was taken in first
      const { state, path: from } = this;
      if (state.record.seq !== undefined) state.note({ renamed: true }); // with the path, for the next process
      const isRead = await this.#place.noted(to, image);
      if (state.record.seq === undefined) {
        state.document = undefined; // the agent made the file: it is a new one here, too
        this.#host.left(from);
        return isRead ? this.saved(state.shown, image) : undefined;
      }
      const document = await state.reopen();
      if (document?.deleted)
        void this.removed(); // others deleted it before the daemon saw the move
      else if (document !== undefined) await this.#rename(document);
    });
  }

  /** Notes that the document has another path. */
  renamed(to: DocPath): Promise<void> {
    return this.#inTurn(async () => {
      const document = await this.state.reopen();
      if (document?.path !== to) {
        await this.state.keep({}); // the lane's file is another one, or others renamed it again
        return this.#host.left(to);
      }
      await this.#place.follow(document);
    });
  }

  /** Removes the file of a document that the workspace deleted. A file with text that only the lane has stays. */
  removed(): Promise<void> {
    this.#removing ??= this.#inTurn(async () => {
      this.#removing = undefined;
      await this.#turnLooks.look(this.mirror);
      if (this.#work.waiting > 1) return void this.removed(); // the agent may have written or moved the file meanwhile
      if ((await this.state.reopen())?.deleted === false) return this.#rename(this.state.document!); // that brought it back
      const { status, gone } = this.state.record;
      const isBack = gone && !isMissing(this.#host.files, this.path); // the agent's file, found after its move
      if (status !== "live" && (!gone || isBack)) return this.state.lost();
      if (this.#place.remove()) await this.#host.forget(this.path);
    });
    return this.#removing;
  }

  /** Notes that the workspace has what a proposal had of this file; `text` is its text there. */
  approved(proposal: string, text: string | undefined): Promise<void> {
    return this.#inTurn(() => this.state.approved(proposal, text));
  }

  /** Notes that a proposal with the text of this file was closed, and not approved. */
  closed(status: string, reason: string | null): Promise<void> {
    return this.#inTurn(async () => {
      await this.#follow();
      if (this.state.record.status !== "proposed") return;
      const why = `its proposal was ${status}${reason === null ? "" : `: ${reason}`}`;
      await this.state.keep({ status: "rejected", why, proposal: undefined });
    });
  }

  /** Tries again to take in a refused write, and to remove a file that a program had open. */
  retry(): void {
    const { status, gone, image } = this.state.record;
    if (this.#place.isAgain()) return void this.removed();
    const isDue = status === "refused" && this.#work.waiting === 0 && !isUnread(this.state.record);
    if (isDue && gone) this.fileDeleted();
    else if (isDue && image !== undefined) this.saved(this.state.shown, image);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.mirror.close();
    await this.#work.settled();
    this.state.texts.close();
  }

  wanted(): Wanted | undefined {
    const { record, document } = this.state;
    const isFree = this.#work.waiting === 0 && !this.#closed && record.status === "live" && !record.gone;
    if (!isFree || document === undefined) return undefined;
    if (document.closed !== undefined) return void this.follow(); // it left memory, and is opened again
    return this.state.wanted(document);
  }

  holds(mark: number): boolean {
    const { status, seq, own } = this.state.record;
    return status === "live" && own === undefined && seq !== undefined && seq >= mark;
  }

  known(): Decoded {
    return this.state.shown;
  }

  async staged(seq: number, { id, image }: Pick<Staged, "id" | "image">) {
    if (this.#work.waiting > 0) return OVERTAKEN; // the edit of a write stores a newer record than this object has
    const failure = await storeFailure(this.state.staged({ id, seq, image }));
    return failure && unnoted(failure);
  }

  landed(mark: number, image: Image, watch: ReadWatch | undefined): void {
    this.state.landed(mark, image, watch);
  }

  /** Does nothing: this file does not treat a text of an instant as the base of a write. */
  exposed(): void {}

  isDeliberate(): boolean {
    return true;
  }

  saved(content: Decoded, image: Image): void {
    this.#host.known.read(this.path, image);
    this.state.found(content);
    const take = async () => this.#note(...(await takeInWrite(this.#takeIn, this.state, content, image)));
    void this.#inTurn(() => take().finally(() => this.state.untaken--), { image, gone: undefined });
  }

  savedLate(known: Decoded, content: Decoded, unseen?: UnseenSave): Promise<unknown> {
    return this.#work.ask(() => takeInLate(this.state, { known, content, unseen }));
  }

  touched(image: Image): void {
    this.#host.known.read(this.path, image);
    if (this.state.record.image === undefined || this.state.record.made)
      this.saved(this.state.shown, image); // a new, empty file
    else if (this.state.untaken === 0) void this.state.keep({ image });
    else void this.#inTurn(() => this.state.keep({ image }));
  }

  fate(): Promise<Fate> {
    return this.#turnLooks.fate(() => this.#host.fateOf(this.path, this.mirror.problem?.kind === "missing"));
  }

  fileDeleted(): void {
    void this.#inTurn(async () => {
      const document = await this.state.reopen();
      if (!isMissing(this.#host.files, this.path)) {
        await this.#turnLooks.returned(this.mirror, this.state.record);
        return document && this.#rename(document);
      }
      const { record, agreed } = this.state;
      if (document === undefined || document.deleted || isMade(record)) return this.#host.forget(this.path);
      if (isUnseen(record)) return this.#place.again(document);
      await this.#note(await this.#takeIn.remove(record, document, agreed.text), GONE);
    }, GONE);
  }

  blocked(problem: Blocked | undefined): void {
    this.state.report(problem ? "lane.blocked" : "lane.recovered", problem?.kind);
  }

  broken(error: unknown): void {
    this.state.report("lane.defect", String(error));
  }

  /** Notes the result of a write in the lane, and what else the write changed. */
  async #note(taken: Taken, changes: Partial<LaneFileRecord> = {}): Promise<void> {
    this.state.note(changes);
    switch (taken.is) {
      case "made":
        await this.state.agree(taken.document, taken);
        return this.#rename(taken.document);
      case "removed":
        return this.#host.forget(this.path);
      case "back":
        return this.#restore(taken.why);
      case "named":
        return this.state.keep({ renamed: undefined });
      case "proposed":
        return this.state.propose();
      case "refused":
        return this.state.refuse(taken.why);
    }
  }

  /** Renames the document as the agent renamed the file, or the file as others renamed the document, if that is left. */
  async #rename(document: Document): Promise<void> {
    const { record, path } = this.state;
    if (document.path === path) return;
    if (record.renamed) await this.#note(await this.#takeIn.rename(record, document, path));
    else await this.#place.follow(document);
  }

  /** Returns a deleted file to the lane. */
  async #restore(why: string): Promise<void> {
    const image = await this.state.restore(why);
    if (image === undefined) return;
    this.mirror.moved(this.path, image);
    await this.#rename(this.state.document!);
  }

  async #follow(): Promise<void> {
    this.#following = undefined;
    const { state } = this;
    if (isUnread(state.record)) await this.#turnLooks.look(this.mirror);
    const document = await state.reopen();
    const { status, gone } = state.record;
    if (document?.deleted === false) await state.present();
    if (document === undefined || document.deleted || (status === "live" && !gone)) return;
    if (gone && !state.knows(document)) return this.#restore(CHANGED);
    if (gone) return status === "live" ? this.fileDeleted() : undefined; // an earlier process died as it decided
    if (this.path === document.path && state.isIn(document)) await state.join(document);
  }

  /** Does work in turn. With `seen`, the work takes in what the agent did (`orRefused`). */
  #inTurn(work: () => Promise<void>, seen?: Partial<LaneFileRecord>): Promise<void> {
    this.lastUsed = this.#host.workspace.ports.clock.elapsed();
    return this.#work.run(seen === undefined ? work : () => orRefused(this.state, seen, work));
  }
}
