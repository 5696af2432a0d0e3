import {
  type FileProblem,
  type Image,
  isFileProblem,
  type ReadWatch,
  sameContentStamp,
} from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { Wanted } from "../../mirror/mirrored-document.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Shelved } from "../../store/shelf.ts";
import { type Seq, storeFailure } from "../../store/store.ts";
import { diff } from "../../text/diff/diff.ts";
import { mergeTexts } from "../../text/merge/merge.ts";
import { mergeEdits } from "../../text/merge/merge-edits.ts";
import { Text } from "../../text/text.ts";
import type { Document } from "../../workspace/document/document.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import { digest } from "../../workspace/versions/digest.ts";
import { AGREED, type LaneFileRecord } from "../records/record.ts";
import type { Begun } from "./begin.ts";
import { earlierTexts } from "./earlier-texts.ts";
import type { LaneHost } from "./lane-host.ts";
import { type Offer, readOffers, storedOffer } from "./offers.ts";
import { placeFile } from "./place-file.ts";
import { type ShownText, ShownTexts } from "./shown-texts.ts";
import { documentOf, type Placed, placedAt } from "./take-in.ts";

const DELETED = "the workspace has deleted this file";

/** The agent writes to a file of which another version is staged. */
export const OVERTAKEN = { kind: "changed", message: "the file has a new write", mayBeNoted: false } as const;

/** Owns the state of one file of a lane: its record, its document, and the texts of both. */
export class FileState {
  readonly host: LaneHost;
  readonly texts: ShownTexts;
  /** The text that the file had when lane and document last agreed. */
  agreed: Decoded;
  /** The text of the file. */
  shown: Decoded;
  document: Document | undefined;
  /** The number of writes that the daemon has read and not taken in. */
  untaken = 0;
  #record: LaneFileRecord;
  #offers: readonly Offer[];

  constructor(host: LaneHost, { record, document, agreed, shown }: Begun) {
    this.host = host;
    this.#record = record;
    this.document = document;
    this.agreed = agreed;
    this.shown = shown;
    const { path, image, seq = 0 } = record;
    this.#offers = readOffers(record, document, shown === agreed ? undefined : shown);
    const watch = image === undefined ? undefined : host.files.watchReads(path, image);
    const now = host.files.look(path);
    const isNoted = image !== undefined && !isFileProblem(now) && sameContentStamp(now, image);
    const shownText = { seq, since: seq, text: agreed.text };
    this.texts = new ShownTexts(
      shownText,
      watch,
      isNoted ? "some" : "unclear",
      earlierTexts(record, document),
    );
  }

  get record(): LaneFileRecord {
    return this.#record;
  }

  get path(): DocPath {
    return this.#record.path;
  }

  /** Notes a write of the agent that is to be taken in. */
  found(content: Decoded): void {
    this.shown = content;
    this.untaken++;
  }

  /** Changes the record in memory, and also a record on its way into the store. */
  note(changes: Partial<LaneFileRecord>): void {
    this.#record = { ...this.#record, ...changes };
  }

  /** Stores changes of the record. @throws StoreError */
  store(changes: Partial<LaneFileRecord>): Promise<void> {
    this.note(changes);
    return this.host.keep(this.#record);
  }

  /** Does the same. A refusal of the store loses no text, because a restart compares the file again. */
  async keep(changes: Partial<LaneFileRecord>): Promise<void> {
    const failure = await storeFailure(this.store(changes));
    if (failure !== undefined) this.report("lane.unstored", failure.message);
  }

  /** Stores that lane and document agree: the document has the text of the file, as `placed` says. */
  agree(document: Document, { seq, own }: Placed): Promise<void> {
    this.document = document;
    this.#offers = [];
    const renamed = document.path !== this.path && this.#record.renamed;
    return this.keep({ ...AGREED, docId: document.id, seq, own, renamed: renamed || undefined });
  }

  /** Stores that the document has the text that the file has now. */
  async join(document: Document): Promise<void> {
    const { shown } = this; // the agent may write while the store keeps the document's text
    await document.durable;
    const placed = placedAt(document, document.head.seq, shown.text);
    this.wrote(shown, placed, this.texts.newest);
    await this.agree(document, placed);
  }

  /** Stores that a version will take the file's place, and the text that it replaces. @throws StoreError */
  staged(staged: NonNullable<LaneFileRecord["staged"]>): Promise<void> {
    const { seq = staged.seq, own, written } = this.#record;
    const replaced = { seq, own, since: seq };
    return this.store({ staged, replaced, written: written ?? replaced });
  }

  /** Stores that the daemon wrote the document's text after a change into the file. */
  landed(seq: Seq, image: Image, watch: ReadWatch | undefined): void {
    const { content, versions } = this.document!;
    this.agreed = { bom: content.bom, text: versions.textAt(seq)! };
    this.shown = this.agreed;
    this.texts.wrote({ seq, since: seq, text: this.agreed.text }, watch);
    void this.keep({ seq, own: undefined, image, staged: undefined });
  }

  /** Returns a deleted file to the lane; resolves with its image, or with undefined if another file is there. */
  async restore(why: string): Promise<Image | undefined> {
    const document = this.document!;
    const { content } = document;
    const { seq } = document.head;
    const isElsewhere = !this.#record.renamed && isFileProblem(this.host.files.look(document.path));
    if (isElsewhere && document.path !== this.path) await this.move(document.path, undefined);
    const image = await placeFile(this.host.files, this.host.name, this.path, document, async (staged) => {
      // Without the note, the next process would take the file for the agent's, made from the text before its deletion.
      await this.store({ staged: staged && { id: staged.id, seq, image: staged.image, isBack: true } });
      return true;
    });
    if (image === undefined || isFileProblem(image))
      return void (image && (await this.refuse(image.message)));
    this.report("lane.brought_back", why);
    this.agreed = content;
    this.shown = content;
    this.texts.wrote({ seq, since: seq, text: content.text }, this.host.files.watchReads(this.path, image));
    this.note({ gone: undefined, image, staged: undefined });
    await this.agree(document, { seq, own: undefined });
    return image;
  }

  /** Stores that the text of the file waits for approval. */
  async propose(): Promise<void> {
    await this.keep({ status: "proposed", sha256: await this.#hash(), why: undefined, proposal: undefined });
  }

  /**
   * Notes that a proposal has the file as it was with `content`; the agent may have changed it since. The proposal
   * `former` may have it, too, until it is closed. Returns what the store must get with the proposal.
   */
  offer(proposal: string, content: Decoded, former: string | undefined): readonly Shelved[] {
    const { status, seq, offers = [] } = this.#record;
    const stored = storedOffer({ proposal, content }, this.document, seq);
    this.#offers = [...this.#offers.filter((offer) => offer.proposal === former), { proposal, content }];
    this.note({ offers: [...offers.filter((offer) => offer.proposal === former), stored] });
    if (status === "proposed" && this.shown === content) this.note({ proposal });
    return this.host.known.stored(this.#record);
  }

  /** The proposals that may have a part of this file. */
  get offeredIn(): readonly string[] {
    return this.#offers.map(({ proposal }) => proposal);
  }

  /**
   * Stores that the document has what a proposal had of this file; `text` is its text there. What the agent has changed
   * since waits for the next proposal.
   */
  async approved(proposal: string, text: string | undefined): Promise<void> {
    const document = await this.reopen();
    if (document === undefined || document.deleted || this.#offers.length === 0) return;
    await document.durable;
    const { bom } = this.shown;
    const proposed = text === undefined ? this.agreed : { bom, text: Text.of(text.replace(/^\ufeff/, "")) };
    const content = this.#offers.find((offer) => offer.proposal === proposal)?.content ?? proposed;
    const placed = placedAt(document, document.head.seq, content.text);
    this.wrote(content, placed, this.texts.newest);
    const isWhole =
      !this.#record.gone && this.path === document.path && this.agreed.text.equals(this.shown.text);
    if (isWhole) return this.agree(document, placed);
    this.#offers = [];
    await this.keep({ docId: document.id, ...placed, proposal: undefined, offers: undefined });
  }

  /** Stores that the file cannot get the path of its document. One that is missing was deleted or renamed by the agent. */
  async unnamed(to: DocPath, { kind }: FileProblem): Promise<void> {
    this.note({ renamed: undefined });
    if (kind !== "missing") await this.refuse(`the workspace has this file as ${to}`);
  }

  /** Stores that the workspace deleted the document. The lane then proposes the file, and no edit of it. */
  lost(): Promise<void> {
    return this.keep({ why: DELETED, proposal: undefined });
  }

  /** Stores that the workspace has the document, also one that it had deleted. */
  async present(): Promise<void> {
    const { status, why } = this.#record;
    if (status === "proposed" && why === DELETED) await this.keep({ why: undefined, proposal: undefined });
  }

  /** Stores that the daemon could not take in a write or a deletion by the agent, and reports it once. */
  async refuse(why: string): Promise<void> {
    const { status, why: before } = this.#record;
    if (status !== "refused" || before !== why) this.report("lane.refused", why);
    await this.keep({ status: "refused", why, sha256: await this.#hash(), proposal: undefined });
  }

  /** Stores that the file has another path. @throws StoreError */
  async move(path: DocPath, image: Image | undefined): Promise<void> {
    const before = this.path;
    this.note({ path, image });
    await this.host.keep(this.#record, before);
  }

  /** Returns the document, opened again if it left memory; undefined also for one that cannot be opened now. */
  async reopen(): Promise<Document | undefined> {
    if (this.document === undefined || this.document.closed !== undefined) {
      const opened = await documentOf(this.host, this.#record);
      const isRefused = opened !== undefined && isRefusal(opened);
      if (isRefused) this.report("lane.unopened", opened.code);
      this.document = isRefused ? undefined : opened;
    }
    if (this.document !== undefined) this.document.lastUsed = this.host.workspace.ports.clock.elapsed();
    return this.document;
  }

  /** Returns true when the document has every write of the agent in the file. */
  isIn(document: Document): boolean {
    const { seq, own } = this.#record;
    if (seq === undefined) return document.text.equals(this.shown.text);
    const [from, to] = [this.agreed.text, this.shown.text];
    const since = own === undefined ? document.versions.since(seq) : undefined;
    const merged =
      since === undefined
        ? mergeTexts(from, document.text, to)
        : mergeEdits(from, diff(from.toString(), to.toString()), since);
    return document.text.splice(merged.splices).equals(document.text);
  }

  /** Returns true when the document has no text that the file never had. */
  knows({ text }: Document): boolean {
    return text.equals(this.agreed.text) || text.equals(this.shown.text);
  }

  /** Notes that the document has what the agent wrote from a text; undefined for a new file. */
  wrote(content: Decoded, { seq, own }: Placed, from: ShownText | undefined): void {
    const since = from?.since ?? seq;
    this.agreed = content;
    this.texts.found({ seq, since, text: content.text });
    this.note({ written: { seq, own, since }, replaced: undefined });
  }

  /** Notes that a write waits, which was made from an older text than the file had. */
  remains(content: Decoded, document: Document, { seq, text }: ShownText): void {
    if (text === this.agreed.text) return;
    this.agreed = { ...content, text };
    this.note(placedAt(document, seq, text));
  }

  /** Returns the content that the file should get; undefined while it has every edit, or must not be written. */
  wanted(document: Document): Wanted | undefined {
    const { record, shown } = this;
    if (document.deleted || !this.#mayRead(document.path)) return undefined;
    const { content, head } = document;
    if (content.bom !== shown.bom || !content.text.equals(shown.text))
      return { mark: head.seq, content, durable: document.durable };
    if (record.seq !== head.seq) {
      this.agreed = content;
      void this.keep({ seq: head.seq, own: undefined });
    }
    return undefined;
  }

  #mayRead(path: string): boolean {
    return this.host.actor?.rights.allows(path, "read") ?? false;
  }

  report(event: string, reason: string | undefined): void {
    this.host.workspace.ports.report(event, { lane: this.host.name, path: this.path, reason });
  }

  async #hash(): Promise<string | undefined> {
    return this.#record.gone ? undefined : digest(this.shown);
  }
}
