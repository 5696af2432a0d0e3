import type { Clock } from "./clock.ts";
import { type Displaced, type Image, isFileProblem, sameContentStamp } from "./files.ts";
import { type Decoded, decode, endsEarly } from "./format.ts";

/** The time before the first look: a process may open a file just as it is displaced; milliseconds. */
const GRACE_MS = 500;
/** The most files, and bytes, that wait for the end of GRACE_MS: creating files is slow beside hundreds of others. */
const MAX_FILES = 8;
const MAX_BYTES = 64 << 20;
/** The settle time of a write through an open descriptor; milliseconds. */
const STILL_MS = 200;

interface DisplacedFile {
  readonly file: Displaced;
  /** The content that the document has merged. */
  known: Decoded;
  image: Image;
  /** The time of the displacement, or of the last merge; in the clock's `elapsed` milliseconds. */
  since: number;
  /** A write that is not merged yet, and the time at which the daemon first saw it. */
  writing: { readonly image: Image; readonly since: number } | undefined;
}

/** Merges a write into a displaced file, where `known` became `content`. */
type OnLateWrite = (known: Decoded, content: Decoded) => void;

/**
 * Owns the files that a swap displaced, as long as a process may still write to them through an earlier descriptor
 * (I3).
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

  /** Adds a displaced file; `image` and `known` are its image and content at that moment. */
  add(file: Displaced, image: Image, known: Decoded): void {
    this.#files.push({ file, image, known, since: this.#clock.elapsed(), writing: undefined });
    for (const displaced of this.#files.slice(0, -MAX_FILES)) this.#drop(displaced);
    while (this.#bytes() > MAX_BYTES && this.#files.some((displaced) => this.#drop(displaced)));
  }

  /** Looks at each file, passes writes to `late`, and discards the files that no process can write to any more. */
  sweep(late: OnLateWrite): Promise<void> {
    this.#sweeping ??= this.#sweep(late).finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /** Passes the last writes to `late`, and discards all files. */
  async close(late: OnLateWrite): Promise<void> {
    await this.#sweeping;
    for (const displaced of this.#files.splice(0)) {
      const image = displaced.file.look();
      if (!isFileProblem(image) && !sameContentStamp(image, displaced.image))
        await this.#take(displaced, late);
      displaced.file.discard();
    }
  }

  async #sweep(late: OnLateWrite): Promise<void> {
    for (const displaced of [...this.#files]) {
      const now = this.#clock.elapsed();
      if (now - displaced.since < GRACE_MS || this.#drop(displaced)) continue;
      const image = displaced.file.look();
      if (isFileProblem(image) || sameContentStamp(image, displaced.image)) continue;
      if (!displaced.file.openForWriting() || this.#isSettled(displaced, image, now))
        await this.#take(displaced, late);
    }
  }

  /** Discards an unchanged file that no process has open for writing; returns false for any other. */
  #drop(displaced: DisplacedFile): boolean {
    const at = this.#files.indexOf(displaced);
    if (at < 0) return true;
    const image = displaced.file.look();
    const unchanged = isFileProblem(image) || sameContentStamp(image, displaced.image);
    if (!unchanged || displaced.file.openForWriting()) return false;
    this.#files.splice(at, 1);
    displaced.file.discard();
    return true;
  }

  #bytes(): number {
    return this.#files.reduce((sum, { image }) => sum + image.size, 0);
  }

  #isSettled(displaced: DisplacedFile, image: Image, now: number): boolean {
    if (displaced.writing === undefined || !sameContentStamp(displaced.writing.image, image))
      displaced.writing = { image, since: now };
    return now - displaced.writing.since >= STILL_MS;
  }

  async #take(displaced: DisplacedFile, late: OnLateWrite): Promise<void> {
    const reading = await displaced.file.read(this.#maxBytes);
    if (isFileProblem(reading)) return; // a write came just now; the next sweep looks again
    const content = decode(reading.bytes);
    // A file that lost its end is incomplete as long as its writer has it open.
    if (content && endsEarly(content, displaced.known) && displaced.file.openForWriting()) return;
    const { known } = displaced;
    displaced.image = reading.image;
    displaced.since = this.#clock.elapsed();
    displaced.writing = undefined;
    if (content === undefined || content.text.equals(known.text)) return;
    displaced.known = content;
    late(known, content);
  }
}
