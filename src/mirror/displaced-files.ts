import type { Clock } from "./clock.ts";
import { type Displaced, type Image, isFileProblem, type LeftBehind, sameContentStamp } from "./files.ts";
import { type Decoded, decode, endsEarly } from "./format.ts";
import type { MirroredDocument, UnseenSave } from "./mirrored-document.ts";

/** The time before the first look: a process may open a file just as it is displaced; milliseconds. */
const GRACE_MS = 500;
/** The most files, and bytes, that wait for the end of GRACE_MS: creating files is slow beside hundreds of others. */
const MAX_FILES = 8;
const MAX_BYTES = 64 << 20;
/** The settle time of a write through an open descriptor; milliseconds. */
const STILL_MS = 200;
/** The time between two readings of a file that a process has open for writing and whose stamp stays; milliseconds. */
const HELD_MS = 2000;

export interface DisplacedFile {
  readonly file: Displaced;
  /** The content that the document has merged. */
  known: Decoded;
  /** Undefined for a save whose content the document has not merged yet. */
  image: Image | undefined;
  /** The note that the document stores with the merge of such a save. */
  unseen: UnseenSave | undefined;
  /** The last merge, until it is durable. */
  merging: Promise<unknown> | undefined;
  /** The time of the displacement, or of the last merge; in the clock's `elapsed` milliseconds. */
  since: number;
  /**
   * True when a process had the file open for writing at or after the last reading. What it writes through a mapping need
   * not change the stamp, so only the content shows it.
   */
  isHeld: boolean;
  /** A write that is not merged yet, and the time at which the daemon first saw it. */
  writing: { readonly image: Image; readonly since: number } | undefined;
}

/** A displaced file at a look; its content is undefined where it is no text. */
interface Present {
  readonly image: Image;
  readonly content: Decoded | undefined;
}

/** Merges a write into a displaced file, where `known` became `content`; as `MirroredDocument.savedLate`. */
type OnLateWrite = MirroredDocument["savedLate"];

/**
 * Owns the files that a swap displaced, as long as a process may still write to them through an earlier descriptor
 * (I3). It discards none before the merge of its content is durable.
 */
export class DisplacedFiles {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #files: DisplacedFile[] = [];
  #sweeping: Promise<void> | undefined;

  constructor(clock: Clock, maxBytes: number) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  get none(): boolean {
    return this.#files.length === 0;
  }

  /** The files; after `close`, those of which the document has not merged everything. */
  get unmerged(): readonly DisplacedFile[] {
    return this.#files;
  }

  /** Adds the files that a former object of the same document could not merge. */
  adopt(files: readonly DisplacedFile[]): void {
    const since = this.#clock.elapsed();
    this.#files.push(...files.map((file) => ({ ...file, since })));
  }

  /**
   * Adds a displaced file. `image` and `known` are its image and content at the last reading, since which a process had
   * it open for writing if `isHeld`.
   */
  add(file: Displaced, image: Image, known: Decoded, isHeld = false): void {
    this.#added(file, known, image).isHeld = isHeld;
    for (const displaced of this.#files.slice(0, -MAX_FILES)) this.#drop(displaced);
    while (this.#bytes() > MAX_BYTES && this.#files.some((displaced) => this.#drop(displaced)));
  }

  /**
   * Adds a file with a save that the document has not merged; it replaced `known`. A save whose writer still has the file
   * open, or wrote to it after `reading`, may be the first part of one (I5): a sweep merges it. Any other is merged now.
   */
  addUnseen(
    { file, reading: { image, bytes } }: Pick<LeftBehind, "file" | "reading">,
    known: Decoded,
    unseen: UnseenSave | undefined,
    late: OnLateWrite,
  ): void {
    const content = decode(bytes);
    const displaced = this.#added(file, content ? { ...known, bom: content.bom } : known);
    displaced.unseen = unseen;
    if (content === undefined || file.openForWriting()) return;
    const now = file.look();
    if (!isFileProblem(now) && sameContentStamp(now, image)) this.#merge(displaced, { image, content }, late);
  }

  #added(file: Displaced, known: Decoded, image?: Image): DisplacedFile {
    const since = this.#clock.elapsed();
    const displaced: DisplacedFile = {
      file,
      image,
      known,
      since,
      unseen: undefined,
      merging: undefined,
      isHeld: false,
      writing: undefined,
    };
    this.#files.push(displaced);
    return displaced;
  }

  /** Looks at each file, passes writes to `late`, and discards the files that no process can write to any more. */
  sweep(late: OnLateWrite): Promise<void> {
    this.#sweeping ??= this.#sweep(late).finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /**
   * Passes the last writes to `late`, and discards each file once the merge of its content is durable. The others remain:
   * a save that is still written, a file that cannot be read now, and one whose merge the store refuses.
   */
  async close(late: OnLateWrite): Promise<void> {
    await this.#sweeping;
    const merged: Promise<void>[] = [];
    for (const displaced of [...this.#files]) {
      const { file } = displaced;
      if (displaced.image === undefined && file.openForWriting()) continue;
      const image = file.look();
      if (isFileProblem(image) && image.kind !== "missing") continue;
      if (!isFileProblem(image) && !isKnown(displaced, image)) await this.#take(displaced, late);
      if (displaced.image === undefined) continue;
      const { merging } = displaced;
      if (merging === undefined) this.#discard(displaced);
      else
        merged.push(
          merging.then(
            () => this.#discard(displaced),
            () => undefined, // `#merge` notes that
          ),
        );
    }
    await Promise.all(merged); // a later object could not learn of their ends
  }

  async #sweep(late: OnLateWrite): Promise<void> {
    for (const displaced of [...this.#files]) {
      const now = this.#clock.elapsed();
      if (now - displaced.since < GRACE_MS || this.#drop(displaced)) continue;
      const image = displaced.file.look();
      if (isFileProblem(image)) continue;
      const isOpen = displaced.file.openForWriting() === true;
      if (isStampKnown(displaced, image)) displaced.isHeld ||= isOpen;
      if (isKnown(displaced, image)) continue;
      if (!isOpen || this.#isSettled(displaced, image, now)) await this.#take(displaced, late);
    }
  }

  /**
   * Discards an unchanged file that no process has open for writing; returns false for any other, and for one that the
   * system refuses to show now.
   */
  #drop(displaced: DisplacedFile): boolean {
    if (!this.#files.includes(displaced)) return true;
    const image = displaced.file.look();
    const unchanged = isFileProblem(image) ? image.kind === "missing" : isKnown(displaced, image);
    if (!unchanged || displaced.merging !== undefined || displaced.file.openForWriting()) return false;
    this.#discard(displaced);
    return true;
  }

  #discard(displaced: DisplacedFile): void {
    const at = this.#files.indexOf(displaced);
    if (at === -1) return; // a look while this caller waited discarded it
    this.#files.splice(at, 1);
    displaced.file.discard();
  }

  #bytes(): number {
    return this.#files.reduce((sum, { image }) => sum + (image?.size ?? 0), 0);
  }

  #isSettled(displaced: DisplacedFile, image: Image, now: number): boolean {
    if (isStampKnown(displaced, image)) return now - displaced.since >= HELD_MS;
    if (displaced.writing === undefined || !sameContentStamp(displaced.writing.image, image))
      displaced.writing = { image, since: now };
    return now - displaced.writing.since >= STILL_MS;
  }

  async #take(displaced: DisplacedFile, late: OnLateWrite): Promise<void> {
    const isHeld = displaced.file.openForWriting() === true;
    const reading = await displaced.file.read(this.#maxBytes);
    if (isFileProblem(reading)) return; // a write came just now; the next sweep looks again
    const content = decode(reading.bytes);
    // A file that lost its end is incomplete as long as its writer has it open.
    if (content && endsEarly(content, displaced.known) && displaced.file.openForWriting()) return;
    displaced.isHeld = isHeld;
    this.#merge(displaced, { image: reading.image, content }, late);
  }

  /** Merges the file's present content. When the store refuses that, the next sweep tries it again. */
  #merge(displaced: DisplacedFile, { image, content }: Present, late: OnLateWrite): void {
    const { known, unseen } = displaced;
    const isNew = content !== undefined && (unseen !== undefined || !content.text.equals(known.text));
    const merging = isNew ? late(known, content, unseen) : undefined; // before the rest: a defect leaves the file as it is
    displaced.image = image;
    displaced.since = this.#clock.elapsed();
    displaced.writing = undefined;
    if (!isNew) return;
    displaced.known = content;
    displaced.unseen = undefined;
    displaced.merging = merging;
    merging?.then(
      () => {
        if (displaced.merging === merging) displaced.merging = undefined;
      },
      () => {
        if (displaced.merging === merging)
          Object.assign(displaced, { merging: undefined, image: undefined, known, unseen });
      },
    );
  }
}

/** Returns true for a displaced file whose present content the document has, as far as stamp and writers show. */
function isKnown(displaced: DisplacedFile, image: Image): boolean {
  return !displaced.isHeld && isStampKnown(displaced, image);
}

function isStampKnown({ image: known }: DisplacedFile, image: Image): boolean {
  return known !== undefined && sameContentStamp(image, known);
}
