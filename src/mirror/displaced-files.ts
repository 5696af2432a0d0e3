import type { Clock } from "./clock.ts";
import { type Displaced, type Image, isFileProblem, sameContentStamp } from "./files.ts";
import { type Decoded, decode, endsEarly } from "./format.ts";

/** Somebody may just be opening a file as it is displaced, so it is looked at after this long; milliseconds. */
const GRACE_MS = 500;
/**
 * No more files, and no more bytes, are kept only because their grace time is not over: making files is slow
 * beside hundreds of others.
 */
const MOST = 8;
const MOST_BYTES = 64 << 20;
/** What is written through an open descriptor is taken in once it holds still for this long; milliseconds. */
const STILL_MS = 200;

interface DisplacedFile {
  readonly file: Displaced;
  /** What is in it, as far as it was taken in. */
  known: Decoded;
  image: Image;
  /** When it was displaced, or last taken in. */
  since: number;
  /** A write that is not taken in yet, and when it was first seen. */
  writing: { readonly image: Image; readonly since: number } | undefined;
}

/** What somebody wrote into a file that is no longer in its place: `known` became `content`. */
export type OnLateWrite = (known: Decoded, content: Decoded) => void;

/**
 * Files that were swapped out of their place, kept for as long as somebody may still write to them through a
 * descriptor that was opened before (I3).
 */
export class DisplacedFiles {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #kept: DisplacedFile[] = [];
  #sweeping: Promise<void> | undefined;

  constructor(clock: Clock, maxBytes: number) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  get none(): boolean {
    return this.#kept.length === 0;
  }

  /** `image` and `known` are what the file was when it was displaced. */
  add(file: Displaced, image: Image, known: Decoded): void {
    this.#kept.push({ file, image, known, since: this.#clock.elapsed(), writing: undefined });
    for (const stray of this.#kept.slice(0, -MOST)) this.#drop(stray);
    while (this.#bytes() > MOST_BYTES && this.#kept.some((stray) => this.#drop(stray)));
  }

  /** Looks at each of them, tells what was written and lets go of those that nobody can write to any more. */
  sweep(late: OnLateWrite): Promise<void> {
    this.#sweeping ??= this.#sweep(late).finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /** Takes in what was written until now, and lets go of all. */
  async close(late: OnLateWrite): Promise<void> {
    await this.#sweeping;
    for (const stray of this.#kept.splice(0)) {
      const image = stray.file.look();
      if (!isFileProblem(image) && !sameContentStamp(image, stray.image)) await this.#take(stray, late);
      stray.file.discard();
    }
  }

  async #sweep(late: OnLateWrite): Promise<void> {
    for (const stray of [...this.#kept]) {
      const now = this.#clock.elapsed();
      if (now - stray.since < GRACE_MS || this.#drop(stray)) continue;
      const image = stray.file.look();
      if (isFileProblem(image) || sameContentStamp(image, stray.image)) continue;
      if (!stray.file.openForWriting() || this.#holdsStill(stray, image, now)) await this.#take(stray, late);
    }
  }

  /** Lets go of a file that is as it was and that nobody has open, or that is gone (already); false when it must be kept. */
  #drop(stray: DisplacedFile): boolean {
    const at = this.#kept.indexOf(stray);
    if (at < 0) return true;
    const image = stray.file.look();
    const asItWas = isFileProblem(image) || sameContentStamp(image, stray.image);
    if (!asItWas || stray.file.openForWriting()) return false;
    this.#kept.splice(at, 1);
    stray.file.discard();
    return true;
  }

  #bytes(): number {
    return this.#kept.reduce((sum, { image }) => sum + image.size, 0);
  }

  #holdsStill(stray: DisplacedFile, image: Image, now: number): boolean {
    if (stray.writing === undefined || !sameContentStamp(stray.writing.image, image))
      stray.writing = { image, since: now };
    return now - stray.writing.since >= STILL_MS;
  }

  async #take(stray: DisplacedFile, late: OnLateWrite): Promise<void> {
    const reading = await stray.file.read(this.#maxBytes);
    if (isFileProblem(reading)) return; // written to just now: looked at again
    const content = decode(reading.bytes);
    // What lost its end only is not whole yet, for as long as its writer has it open.
    if (content && endsEarly(content, stray.known) && stray.file.openForWriting()) return;
    const { known } = stray;
    stray.image = reading.image;
    stray.since = this.#clock.elapsed();
    stray.writing = undefined;
    if (content === undefined || content.text.equals(known.text)) return;
    stray.known = content;
    late(known, content);
  }
}
