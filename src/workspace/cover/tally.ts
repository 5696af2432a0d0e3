export interface CoverLimits {
  /** The most files that are covered. */
  readonly maxFiles: number;
  /** The most bytes of all covered files, before compression. */
  readonly maxBytes: number;
}

/** Numbers of files that are not covered, by the reason. */
export interface LeftOut {
  /** Larger than a document may be. */
  readonly tooLarge: number;
  /** Beyond the limits of the cover. */
  readonly overLimit: number;
  /** Not readable for the daemon, or written to without a pause. */
  readonly unreadable: number;
}

/** Counts the files of a pass, and those that appear after it. */
export class Tally {
  readonly #limits: CoverLimits;
  #files = 0;
  #bytes = 0;
  #leftOut: LeftOut = { tooLarge: 0, overLimit: 0, unreadable: 0 };

  constructor(limits: CoverLimits) {
    this.#limits = limits;
  }

  /** The number of covered files. */
  get files(): number {
    return this.#files;
  }

  /** The bytes of all covered files. */
  get bytes(): number {
    return this.#bytes;
  }

  get leftOut(): LeftOut {
    return this.#leftOut;
  }

  /** Counts a covered file. */
  add(size: number): void {
    this.#files++;
    this.#bytes += size;
  }

  /** Counts a file no more that was removed; the next pass corrects a count that was wrong. */
  remove(size: number): void {
    this.#files = Math.max(this.#files - 1, 0);
    this.#bytes = Math.max(this.#bytes - size, 0);
  }

  leave(reason: keyof LeftOut): void {
    this.#leftOut = { ...this.#leftOut, [reason]: this.#leftOut[reason] + 1 };
  }

  /** Returns false for a file beyond the limits; `waiting` files are not counted yet. */
  admits(size: number, waiting: number): boolean {
    const { maxFiles, maxBytes } = this.#limits;
    return this.#files + waiting < maxFiles && this.#bytes + size <= maxBytes;
  }
}
