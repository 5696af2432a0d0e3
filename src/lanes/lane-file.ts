import { type FileProblem, type Image, isFileProblem, type ReadWatch, type Staged } from "../mirror/files.ts";
import type { Decoded } from "../mirror/format.ts";
import { Mirror } from "../mirror/mirror.ts";
import type { Blocked, Fate, MirroredDocument, Wanted } from "../mirror/mirrored-document.ts";
import type { DocPath } from "../mirror/path.ts";
import { storeFailure } from "../store/store.ts";
import { mergeTexts } from "../text/merge.ts";
import type { Document } from "../workspace/document/document.ts";
import { FileTexts } from "../workspace/document/file-texts.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
import { staleSave } from "../workspace/saves/stale-save.ts";
import { digest } from "../workspace/versions/digest.ts";
import type { Version } from "../workspace/versions/version.ts";
import { type Begun, begin } from "./begin.ts";
import type { LaneHost } from "./lane-host.ts";
import { placeFile } from "./place-file.ts";
import { fileIdOf, type LaneFileRecord } from "./record.ts";
import { documentOf, placedAt, TakeIn, type Taken } from "./take-in.ts";

/** The fields of a record that go when lane and document agree. */
const AGREED = { status: "live", sha256: undefined, why: undefined, proposal: undefined } as const;

/**
 * One file of a lane while it is in use. Its mirror writes the document's changes into the file. What the agent writes
 * there is taken in as an edit, made from the version that the file had.
 *
 *     document changed ─► follow ─► mirror ─► landed
 *     file changed ─► mirror ─► saved ─► take in ─► edit, proposal, or refused
 */
export class LaneFile implements MirroredDocument {
  readonly mirror: Mirror;
  readonly #host: LaneHost;
  readonly #takeIn: TakeIn;
  readonly #texts: FileTexts;
  #record: LaneFileRecord;
  #document: Document | undefined;
  /** The text that the file had when lane and document last agreed. */
  #agreed: Decoded;
  /** The text of the file. */
  #shown: Decoded;
  /** The work on the file, one after the other, and how much of it waits. */
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  #following = false;
  #closed = false;
  /** When the file was last in use, in milliseconds of the elapsed clock. */
  lastUsed: number;

  private constructor(host: LaneHost, { record, document, agreed, shown }: Begun) {
    const { ports, limits } = host.workspace;
    this.#host = host;
    this.#takeIn = new TakeIn(host);
    this.#record = record;
    this.#document = document;
    this.#agreed = agreed;
    this.#shown = shown;
    this.lastUsed = ports.clock.elapsed();
    const { path, image, seq = 0 } = record;
    this.#texts = new FileTexts(host.files, path, { seq, isAlone: false }, image);
    const { maxFileBytes: maxBytes, deleteGraceMs, mirrorEveryMs } = limits;
    const own = { files: host.files, clock: ports.clock, turns: host.turns, reached: ports.reached };
    const options = { maxBytes, deleteGraceMs, mirrorEveryMs };
    this.mirror = new Mirror(own, options, this, fileIdOf(host.name, path), path, image);
  }

  /** Opens a file of a lane, and its document. */
  static async open(host: LaneHost, record: LaneFileRecord): Promise<LaneFile> {
    return new LaneFile(host, await begin(host, record));
  }

  get record(): LaneFileRecord {
    return this.#record;
  }

  get path(): DocPath {
    return this.#record.path;
  }

  /** The text of the file. */
  get shown(): Decoded {
    return this.#shown;
  }

  get agreed(): Decoded {
    return this.#agreed;
  }

  get document(): Document | undefined {
    return this.#document;
  }

  /** True when nothing is under way, so that this object may be dropped. */
  get restful(): boolean {
    return this.#waiting === 0 && this.mirror.idle && this.mirror.problem === undefined;
  }

  /** Looks at the file; resolves once what was found is taken in. */
  async look(): Promise<void> {
    this.lastUsed = this.#host.workspace.ports.clock.elapsed();
    await this.mirror.fresh();
    await this.#work;
  }

  /** Brings the file up to its document, or finds that the document now has what the file has. */
  follow(): void {
    if (this.#following) return;
    this.#following = true;
    void this.#inTurn(() => this.#follow());
  }

  /** Notes that the agent renamed the file in the lane. */
  moved(to: DocPath, image: Image): Promise<void> {
    return this.#inTurn(async () => {
      await this.#place(to, image);
      if (this.#document !== undefined)
        await this.#note(await this.#takeIn.rename(this.#record, this.#document, to));
    });
  }

  /** Notes that the document has another path. */
  renamed(to: DocPath): Promise<void> {
    return this.#inTurn(async () => {
      if (this.path === to) return;
      const image = this.#record.gone ? undefined : this.#host.files.rename(this.path, to);
      if (image !== undefined && isFileProblem(image))
        await this.#refuse(`the workspace has this file as ${to}`);
      else await this.#place(to, image);
    });
  }

  /** Removes the file, because the workspace has deleted its document. Text that only the lane has stays. */
  removed(): Promise<void> {
    return this.#inTurn(async () => {
      await this.mirror.fresh();
      const { status, image, gone } = this.#record;
      if (this.#waiting > 1) return; // the agent wrote meanwhile, which brings the file back
      if (status !== "live" && !gone) return this.#keep({ why: "the workspace has deleted this file" });
      const problem = image === undefined ? undefined : this.#host.files.remove(this.path, image);
      if (problem === undefined || problem.kind === "missing") await this.#host.forget(this.path);
    });
  }

  /** Notes how a proposal ended that has the text of this file, if the workspace does not have that text now. */
  reviewed(status: string, reason: string | null): Promise<void> {
    return this.#inTurn(async () => {
      await this.#follow();
      if (this.#record.status !== "proposed") return;
      if (status === "approved") return this.#keep({ proposal: undefined });
      const why = `its proposal was ${status}${reason === null ? "" : `: ${reason}`}`;
      await this.#keep({ status: "rejected", why, proposal: undefined });
    });
  }

  /** Notes the proposal that has the file as it is now. */
  proposedIn(proposal: string): Promise<void> {
    return this.#keep({ proposal });
  }

  /** Notes why the daemon could not take in what the agent did with the file. */
  refuse(why: string): Promise<void> {
    return this.#inTurn(() => this.#refuse(why));
  }

  /** Tries again to take in what was refused. */
  retry(): void {
    const { status, gone, image } = this.#record;
    if (status !== "refused" || this.#waiting > 0) return;
    if (gone) this.fileDeleted();
    else if (image !== undefined) this.saved(this.#shown, image);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.mirror.close();
    await this.#work;
    this.#texts.close();
  }

  // The calls of the mirror.

  wanted(): Wanted | undefined {
    const { status, gone, seq } = this.#record;
    const document = this.#document;
    if (this.#waiting > 0 || this.#closed || status !== "live" || gone || document === undefined)
      return undefined;
    if (document.closed !== undefined) this.follow(); // it left memory: it is opened again
    if (document.closed !== undefined || document.deleted || !this.#mayRead(document.path)) return undefined;
    const { content, head } = document;
    if (!isSame(content, this.#shown)) return { mark: head.seq, content, durable: document.durable };
    if (seq !== head.seq) {
      this.#agreed = content;
      void this.#keep({ seq: head.seq, own: undefined });
    }
    return undefined;
  }

  holds(mark: number): boolean {
    const { status, seq, own } = this.#record;
    return status === "live" && own === undefined && seq !== undefined && seq >= mark;
  }

  known(): Decoded {
    return this.#shown;
  }

  async staged(seq: number, { id, image }: Pick<Staged, "id" | "image">): Promise<FileProblem | undefined> {
    const failure = await storeFailure(this.#store({ staged: { id, seq, image } }));
    if (failure === undefined) return undefined;
    return { kind: failure.kind === "full" ? "full" : "io", message: `the state folder: ${failure.message}` };
  }

  landed(mark: number, image: Image, watch: ReadWatch | undefined): void {
    const { content, versions } = this.#document!;
    this.#agreed = { bom: content.bom, text: versions.textAt(mark)! };
    this.#shown = this.#agreed;
    this.#texts.wrote(mark, image, watch);
    void this.#keep({ seq: mark, own: undefined, image });
  }

  exposed(mark: number): void {
    this.#texts.exposed(mark);
  }

  /** Each save is judged when it is taken in. */
  isDeliberate(): boolean {
    return true;
  }

  saved(content: Decoded, image: Image): void {
    const base = this.#staleBase(content);
    this.#shown = content;
    void this.#inTurn(async () => {
      this.#record = { ...this.#record, image, gone: undefined };
      await this.#reopen();
      const save = { agreed: this.#agreed.text, content, base };
      const taken = await this.#takeIn.save(this.#record, this.#document, save);
      if (taken.is === "made") this.#agreed = content;
      await this.#note(taken);
      if (taken.is === "made" && taken.own === undefined)
        this.#texts.found({ seq: taken.seq, isAlone: false }, image);
    });
  }

  savedLate(known: Decoded, content: Decoded): void {
    if (known.text.equals(content.text)) return;
    void this.#inTurn(async () => {
      const document = await this.#reopen();
      const refused = document && (await this.#takeIn.late(document, known, content));
      if (refused !== undefined) this.#report("lane.late_write_refused", refused.message);
    });
  }

  touched(image: Image): void {
    if (this.#record.image === undefined)
      this.saved(this.#shown, image); // a new, empty file
    else void this.#keep({ image });
  }

  fate(): Promise<Fate> {
    return this.#host.fateOf(this.path);
  }

  fileDeleted(): void {
    void this.#inTurn(async () => {
      this.#record = { ...this.#record, image: undefined, gone: true };
      const document = await this.#reopen();
      if (document === undefined || document.deleted || this.#record.seq === undefined)
        return this.#host.forget(this.path);
      await this.#note(await this.#takeIn.remove(document, this.#agreed.text));
    });
  }

  blocked(problem: Blocked | undefined): void {
    this.#report(problem ? "lane.blocked" : "lane.recovered", problem?.kind);
  }

  broken(error: unknown): void {
    this.#report("lane.defect", String(error));
  }

  /** Notes what became of a write in the lane. */
  async #note(taken: Taken): Promise<void> {
    switch (taken.is) {
      case "made":
        this.#document = taken.document;
        return this.#keep({ ...AGREED, docId: taken.document.id, seq: taken.seq, own: taken.own });
      case "removed":
        return this.#host.forget(this.path);
      case "back":
        return this.#restore(taken.why);
      case "proposed": {
        const sha256 = this.#record.gone ? undefined : await digest(this.#shown);
        return this.#keep({ status: "proposed", sha256, why: undefined, proposal: undefined });
      }
      case "refused":
        return this.#refuse(taken.why);
    }
  }

  async #refuse(why: string): Promise<void> {
    const { status, why: before, gone } = this.#record;
    if (status !== "refused" || before !== why) this.#report("lane.refused", why);
    const sha256 = gone ? undefined : await digest(this.#shown);
    await this.#keep({ status: "refused", why, sha256, proposal: undefined });
  }

  /** Returns a deleted file to the lane. */
  async #restore(why: string): Promise<void> {
    const { files, name } = this.#host;
    const { content, head } = this.#document!;
    const image = await placeFile(files, name, this.path, this.#document!);
    if (isFileProblem(image)) return this.#refuse(image.message);
    this.#report("lane.brought_back", why);
    this.#agreed = content;
    this.#shown = content;
    this.mirror.moved(this.path, image);
    await this.#keep({ ...AGREED, gone: undefined, seq: head.seq, own: undefined, image });
  }

  async #follow(): Promise<void> {
    this.#following = false;
    const document = await this.#reopen();
    if (document === undefined || document.deleted) return;
    const { status, gone } = this.#record;
    if (status === "live" || gone || this.path !== document.path || this.#record.seq === undefined) return;
    // Others may have made what waits here.
    const { splices } = mergeTexts(this.#agreed.text, document.text, this.#shown.text);
    if (splices.length > 0) return;
    const placed = placedAt(document, document.head.seq, this.#shown.text);
    await document.durable;
    this.#agreed = this.#shown;
    await this.#keep({ ...AGREED, ...placed });
  }

  /** Returns the document, opened again where it left memory. */
  async #reopen(): Promise<Document | undefined> {
    if (this.#document === undefined || this.#document.closed !== undefined) {
      const opened = await documentOf(this.#host, this.#record);
      if (opened !== undefined && isRefusal(opened)) this.#report("lane.unopened", opened.code);
      else this.#document = opened;
    }
    if (this.#document !== undefined) this.#document.lastUsed = this.#host.workspace.ports.clock.elapsed();
    return this.#document;
  }

  /** Returns the version that a write was made from, if that is older than the one that the file had (I6). */
  #staleBase(content: Decoded): Version | undefined {
    const { actor, workspace } = this.#host;
    const document = this.#document;
    if (document === undefined || actor === undefined || workspace.limits.staleSaves === "disk")
      return undefined;
    if (this.#record.seq === undefined || document.closed !== undefined || document.deleted) return undefined;
    const { versions } = document;
    const texts = this.#texts;
    const { glimpsed, newest: held } = texts;
    const evidence = [
      { by: "unread", text: texts.newestRead("some", "unclear") },
      { by: "unread", text: texts.newestRead("some"), isUnclear: true },
      ...(glimpsed ? [{ by: "unread", text: glimpsed, isUnclear: true } as const] : []),
    ] as const;
    return staleSave({ versions, known: this.#agreed.text, held, content, saver: actor, evidence })?.rescue
      ?.base;
  }

  #mayRead(path: string): boolean {
    return this.#host.actor?.rights.allows(path, "read") ?? false;
  }

  async #place(path: DocPath, image: Image | undefined): Promise<void> {
    const before = this.path;
    this.mirror.moved(path, image);
    this.#record = { ...this.#record, path, image };
    await this.#host.keep(this.#record, before);
  }

  /** Stores what changed of the record. @throws StoreError */
  #store(changes: Partial<LaneFileRecord>): Promise<void> {
    this.#record = { ...this.#record, ...changes };
    return this.#host.keep(this.#record);
  }

  /** Does the same; a store that refuses this loses nothing, since a restart compares the file again. */
  async #keep(changes: Partial<LaneFileRecord>): Promise<void> {
    const failure = await storeFailure(this.#store(changes));
    if (failure !== undefined) this.#report("lane.unstored", failure.message);
  }

  #report(event: string, reason: string | undefined): void {
    this.#host.workspace.ports.report(event, { lane: this.#host.name, path: this.path, reason });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#waiting++;
    this.lastUsed = this.#host.workspace.ports.clock.elapsed();
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.broken(error))
      .finally(() => {
        this.#waiting--;
        if (this.#waiting === 0 && !this.#closed) this.mirror.push();
      });
    return this.#work;
  }
}

function isSame(a: Decoded, b: Decoded): boolean {
  return a.bom === b.bom && a.text.equals(b.text);
}
