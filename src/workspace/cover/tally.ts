export interface CoverLimits {
  /** The most files that are covered. */
  readonly maxFiles: number;
  /** The most bytes of all covered files, before compression. */
  readonly maxBytes: number;
}

/** The limits of the cover, and that of each file. */
export interface FileLimits extends CoverLimits {
  readonly maxFileBytes: number;
}

/** Numbers of files that are not covered, by the reason. */
export interface LeftOut {
  /** Larger than a document may be. */
  readonly tooLarge: number;
  /** Beyond the limits of the cover. */
  readonly overLimit: number;
  /** Not readable for the daemon, or written to without a pause. */
  readonly unreadable: number;
  /** Without a baseline, because the store refused it, as on a full disk. */
  readonly unsaved: number;
}

/** The most files that the tally names because they cannot be read. */
const MOST_NAMED = 50;

/** Counts the files of a pass, and those that appear after it. */
export class Tally {
  readonly #limits: FileLimits;
  #files = 0;
  #bytes = 0;
  #leftOut: LeftOut = { tooLarge: 0, overLimit: 0, unreadable: 0, unsaved: 0 };

  constructor(limits: FileLimits) {
    this.#limits = limits;
  }

  /** The paths of the first files and folders that could not be read. */
  readonly unread: string[] = [];

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

  /** Adds covered files and their bytes. */
  add(files: number, bytes: number): void {
    this.#files += files;
    this.#bytes += bytes;
  }

  /** Subtracts a removed file; the next pass corrects a wrong number. */
  remove(size: number): void {
    this.#files = Math.max(this.#files - 1, 0);
    this.#bytes = Math.max(this.#bytes - size, 0);
  }

  leave(reason: keyof LeftOut, files = 1): void {
    this.#leftOut = { ...this.#leftOut, [reason]: this.#leftOut[reason] + files };
  }

  /** Counts and names a file or folder that cannot be read. */
  leaveUnread(path: string): void {
    this.leave("unreadable");
    if (this.unread.length < MOST_NAMED && !this.unread.includes(path)) this.unread.push(path);
  }

  /**
   * Returns the limit that leaves a file out, and counts the file there. `waiting` files are not counted yet; undefined
   * for a file that has a baseline already.
   */
  leavesOut(size: number, waiting: number | undefined): "tooLarge" | "overLimit" | undefined {
    const { maxFiles, maxBytes, maxFileBytes } = this.#limits;
    const isBeyond =
      waiting !== undefined && (this.#files + waiting >= maxFiles || this.#bytes + size > maxBytes);
    const reason = size > maxFileBytes ? "tooLarge" : isBeyond ? "overLimit" : undefined;
    if (reason !== undefined) this.leave(reason);
    return reason;
  }
}
