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
/** The most files that the tally remembers as left out; a look counts no file beyond them until the next pass. */
const MOST_REMEMBERED = 10_000;

/** Counts the files of a pass, and those that appear after it. */
export class Tally {
  readonly #limits: FileLimits;
  #files = 0;
  #bytes = 0;
  #leftOut: LeftOut = { tooLarge: 0, overLimit: 0, unreadable: 0, unsaved: 0 };

  constructor(limits: FileLimits) {
    this.#limits = limits;
  }

  /** The files that were counted as left out, so that none counts twice. */
  readonly #counted = new Map<string, keyof LeftOut>();

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
    this.#count(path, "unreadable", true);
    if (this.unread.length < MOST_NAMED && !this.unread.includes(path)) this.unread.push(path);
  }

  /**
   * Returns the limit that leaves a file out, and counts the file there once. `waiting` files are not counted yet;
   * undefined for a file that has a baseline already.
   */
  leavesOut(
    path: string,
    size: number,
    { waiting, inPass }: { readonly waiting: number | undefined; readonly inPass: boolean },
  ): "tooLarge" | "overLimit" | undefined {
    const { maxFiles, maxBytes, maxFileBytes } = this.#limits;
    const isBeyond =
      waiting !== undefined && (this.#files + waiting >= maxFiles || this.#bytes + size > maxBytes);
    const reason = size > maxFileBytes ? "tooLarge" : isBeyond ? "overLimit" : undefined;
    if (reason === undefined) this.uncount(path);
    else this.#count(path, reason, inPass);
    return reason;
  }

  /** Subtracts a file that was left out and is gone, or is covered now. */
  uncount(path: string): void {
    const reason = this.#counted.get(path);
    if (reason === undefined) return;
    this.#counted.delete(path);
    this.leave(reason, -1);
  }

  /** Counts a file for a reason, instead of an earlier one. A pass comes to each file once, a look any number of times. */
  #count(path: string, reason: keyof LeftOut, inPass: boolean): void {
    if (this.#counted.get(path) === reason) return;
    this.uncount(path);
    const hasRoom = this.#counted.size < MOST_REMEMBERED;
    if (hasRoom) this.#counted.set(path, reason);
    if (hasRoom || inPass) this.leave(reason);
  }
}
