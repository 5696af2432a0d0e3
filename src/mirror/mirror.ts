import type { Text } from "../text/text.ts";
import type { Clock } from "./clock.ts";
import { type DisplacedFile, DisplacedFiles } from "./displaced-files.ts";
import { FileWriter } from "./file-writer.ts";
import { type Files, type Image, isFileProblem, type LeftBehind } from "./files.ts";
import { type Decoded, decode } from "./format.ts";
import { KnownFile } from "./known-file.ts";
import type { Blocked, MirroredDocument, UnseenSave } from "./mirrored-document.ts";
import { MOST_MISSING, ROOT_MISSING } from "./missing-file.ts";
import type { DocPath } from "./path.ts";
import type { Action } from "./reconcile.ts";
import { SETTLE_MS } from "./settle-time.ts";
import { type Found, SettledReader } from "./settled-reader.ts";
import type { Reached } from "./step.ts";
import type { Turns } from "./turns.ts";

type FoundText = Extract<Found, { is: "text" }>;

interface MirrorOptions {
  readonly maxBytes: number;
  /** The time that a file may be missing before the document is deleted, in milliseconds (I10). */
  readonly deleteGraceMs: number;
  /** The shortest time between the starts of two writes that no caller waits for, in milliseconds. */
  readonly mirrorEveryMs: () => number;
}

/**
 * Owns the exchange between one document and its file, in both directions. Watcher events only start a look; the
 * file itself decides (I9).
 *
 *     look ─► reconcile ─► settle, read ─► saved (a save by another process)
 *     push ─► stage ∥ journal flush ─► compare, swap ─► landed
 */
export class Mirror {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #document: MirroredDocument;
  readonly #options: MirrorOptions;
  readonly #abort = new AbortController();
  readonly #file: KnownFile;
  readonly #reader: SettledReader;
  readonly #writer: FileWriter;
  readonly #displaced: DisplacedFiles;
  /** The number of looks begun so far. */
  #looks = 0;
  /** The newest look that has ended. */
  #finishedLook = 0;
  #taking: Promise<void> | undefined;

  constructor(
    ports: { readonly files: Files; readonly clock: Clock; readonly turns: Turns; readonly reached: Reached },
    options: MirrorOptions,
    document: MirroredDocument,
    docId: string,
    path: DocPath,
    image: Image | undefined,
    last = image,
  ) {
    this.#files = ports.files;
    this.#clock = ports.clock;
    this.#options = options;
    this.#document = document;
    const { signal } = this.#abort;
    const file = new KnownFile(ports.clock, document, path, image, last);
    const displaced = new DisplacedFiles(ports.clock, options.maxBytes);
    this.#file = file;
    this.#displaced = displaced;
    this.#reader = new SettledReader(ports, options.maxBytes, file, document, signal);
    const parts = { document, docId, file, displaced, reading: this };
    this.#writer = new FileWriter(ports, parts, options.mirrorEveryMs, signal);
  }

  get path(): DocPath {
    return this.#file.path;
  }

  get image(): Image | undefined {
    return this.#file.image;
  }

  /** As `KnownFile.last`. */
  get last(): Image | undefined {
    return this.#file.last;
  }

  get problem(): Blocked | undefined {
    return this.#file.problem;
  }

  /** The beginning of the present problem, in milliseconds since the epoch; 0 without a problem. */
  get problemSince(): number {
    return this.#file.problemSince;
  }

  /** True when the last reading gave up, because other processes wrote to the file all the time. */
  get restless(): boolean {
    return this.#reader.restless;
  }

  /** True when no reading or writing is under way, and no displaced file is watched. */
  get idle(): boolean {
    return this.#taking === undefined && this.#writer.writing === undefined && this.#displaced.none;
  }

  /** Resolves when the reading under way ends; undefined while there is none. */
  get taking(): Promise<void> | undefined {
    return this.#taking;
  }

  /** Notes the file's new path, or (`image` undefined) that it was removed. */
  moved(path: DocPath, image: Image | undefined): void {
    this.#file.moved(path, image);
  }

  /** Returns true when one look at the file finds it as known. */
  looksCurrent(): boolean {
    return this.#reader.look().do === "none";
  }

  /** The number of looks at the file begun so far. */
  get looks(): number {
    return this.#looks;
  }

  /** Returns true when a look that began after the first `looks` looks has ended. */
  lookedSince(looks: number): boolean {
    return this.#finishedLook > looks;
  }

  /**
   * Looks at the file and merges a save of it. Returns undefined when the file is as known, so that callers need not
   * wait; otherwise resolves when the document contains the save.
   */
  fresh(): Promise<void> | undefined {
    if (this.#taking !== undefined) return this.#taking;
    if (this.#abort.signal.aborted) return undefined;
    const action = this.#reader.look();
    if (action.do === "none") {
      this.#file.unblockLook();
      this.#finishedLook = ++this.#looks;
      return undefined;
    }
    return this.#take(action);
  }

  /** Reads the file, also with an unchanged stamp. */
  async reread(): Promise<void> {
    while (this.#taking !== undefined) await this.#taking;
    await this.#take({ do: "read", seen: this.#file.image });
  }

  /** Does the same as `fresh`, and also reads a file that may have changed without a change of its stamp. */
  verify(): Promise<void> | undefined {
    if (!this.#file.racy || this.#taking !== undefined) return this.fresh();
    this.#file.lookedAt();
    return this.#take({ do: "read", seen: this.#file.image });
  }

  /**
   * Brings the file up to the document. Where no caller waits for the file, several edits may go together; `atOnce`
   * ends that rest.
   */
  push(options?: { readonly atOnce?: boolean }): void {
    this.#writer.push(options);
  }

  /** As `FileWriter.place`. */
  place(...args: Parameters<FileWriter["place"]>): ReturnType<FileWriter["place"]> {
    return this.#writer.place(...args);
  }

  /** Resolves with true once the file holds every edit up to `mark`, with false if it cannot be written now. */
  reached(mark: number): Promise<boolean> {
    return this.#writer.reached(mark);
  }

  /** Merges every later write into a file that an earlier process displaced (I3); discards one that is not text. */
  inherit(left: LeftBehind): void {
    this.#watch(left, decode(left.reading.bytes));
  }

  /**
   * Merges a save that an earlier process displaced unseen (I3); `known` is the text that the save replaced. Without it,
   * the save is merged as a save of the document's text.
   */
  inheritUnseen(left: LeftBehind, known?: Text, unseen?: UnseenSave): void {
    if (this.#abort.signal.aborted) return; // the next process finds it
    const { bom, text } = this.#document.known();
    this.#displaced.addUnseen(left, { bom, text: known ?? text }, unseen, this.#late);
  }

  #watch({ file, reading }: LeftBehind, known: Decoded | undefined): void {
    if (known === undefined || this.#abort.signal.aborted) file.discard();
    else this.#displaced.add(file, reading.image, known);
  }

  /** The displaced files that are watched; after the end, those of which the document has not merged everything. */
  get unmerged(): readonly DisplacedFile[] {
    return this.#displaced.unmerged;
  }

  /** Merges what a former mirror of the same document could not. */
  adopt(files: readonly DisplacedFile[]): void {
    this.#displaced.adopt(files);
  }

  /** Looks for writes into displaced files, by processes that had them open. */
  sweep(): Promise<void> | undefined {
    if (this.#displaced.none || this.#abort.signal.aborted) return undefined;
    return this.#displaced.sweep(this.#late).catch(this.#broken);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#writer.stop();
    await Promise.allSettled([this.#taking, this.#writer.writing]);
    await this.#displaced.close(this.#late).catch(this.#broken);
  }

  readonly #late = (known: Decoded, content: Decoded, unseen?: UnseenSave) =>
    this.#document.savedLate(known, content, unseen);
  readonly #broken = (error: unknown) => this.#document.broken(error);

  #take(action: Action): Promise<void> {
    const look = ++this.#looks;
    this.#taking = this.#takeIn(action)
      .catch(this.#broken)
      .finally(() => {
        this.#taking = undefined;
        this.#finishedLook = look;
      });
    return this.#taking;
  }

  async #takeIn(first: Action): Promise<void> {
    let action = first;
    do {
      const found = await this.#reader.read(action);
      if (found === undefined) return;
      switch (found.is) {
        case "text":
          return this.#accept(found);
        case "blocked":
          this.#writer.sendWaitersAway();
          return this.#file.block(found.problem, found.by);
        case "missing":
          action = await this.#awaitReturn();
      }
    } while (action.do !== "missing");
  }

  async #accept({ content, reading, isHeld }: FoundText): Promise<void> {
    const { image } = reading;
    const known = this.#document.known();
    // Equal content means the daemon's own write, or a save without changes (I4).
    const same = known.bom === content.bom && known.text.equals(content.text);
    const deliberate = same || (await this.#document.isDeliberate(content, reading));
    if (this.#abort.signal.aborted) return;
    this.#file.seen(image, isHeld);
    this.#file.unblock();
    if (same) this.#document.touched(image);
    else this.#document.saved(content, image, deliberate);
  }

  /**
   * Waits for the file to return, as after a save by rename. After the grace time it asks for the file's fate (I10).
   */
  async #awaitReturn(): Promise<Action> {
    const missed = this.#document.missed?.();
    const noticed = missed?.since ?? this.#clock.now();
    // A file that waits for a person has been missing for the grace time.
    const isKnown = missed?.isOver === true || this.#file.problem === MOST_MISSING;
    const until = this.#clock.elapsed() + (isKnown ? 0 : this.#options.deleteGraceMs);
    while (!this.#abort.signal.aborted) {
      const seen = this.#files.look(this.#file.path);
      if (!isFileProblem(seen)) return { do: "settle" };
      if (seen.kind !== "missing") return { do: "blocked", problem: seen };
      if (this.#clock.elapsed() >= until) break;
      await this.#clock.sleep(SETTLE_MS, this.#abort.signal);
    }
    if (this.#abort.signal.aborted) return { do: "none" };
    if (!this.#files.isRootPresent()) return { do: "blocked", problem: ROOT_MISSING };
    const fate = await this.#document.fate();
    if (this.#abort.signal.aborted) return { do: "none" };
    if (fate === "moved") {
      this.#writer.push();
      return this.#reader.look(); // a file that a power cut damaged is no edit
    }
    if (!isFileProblem(this.#files.look(this.#file.path))) return { do: "settle" }; // back by now
    if (fate === "undecided") return { do: "none" };
    if (fate === "unsure") return { do: "blocked", problem: MOST_MISSING };
    this.#file.deleted();
    this.#writer.sendWaitersAway();
    this.#document.fileDeleted(noticed);
    return { do: "missing" };
  }
}
