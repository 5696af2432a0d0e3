import type { Clock } from "./clock.ts";
import type { Image } from "./files.ts";
import type { Blocked, MirroredDocument } from "./mirrored-document.ts";
import type { DocPath } from "./path.ts";

/** A second write within the same clock tick may hide behind a change time this close to the look; nanoseconds. */
const RACY_NS = 20_000_000n;
const RETRY_MS = [100, 250, 500, 1000, 2000, 5000] as const;

/** The operation that found a problem: a look at the stamps, a reading of the content, or a write. */
type FoundBy = "look" | "read" | "write";

/** The daemon's access to the file. */
type Access =
  | { readonly is: "usable" }
  | {
      readonly is: "blocked";
      readonly problem: Blocked;
      /** Milliseconds since the epoch. */
      readonly since: number;
      readonly foundBy: FoundBy;
      /** The number of writes that were put off since the problem began. */
      readonly retries: number;
    };

const USABLE: Access = { is: "usable" };

/** Owns the known facts of one file: its path, its last image, and the problem that prevents its use. */
export class KnownFile {
  readonly #clock: Clock;
  readonly #held: MirroredDocument;
  #path: DocPath;
  #image: Image | undefined;
  #last: Image | undefined;
  /** The time at which the daemon looked at the file for `image`; milliseconds since the epoch. */
  #seenAt: number;
  #isHeld = false;
  #access: Access = USABLE;

  /** `last` is the file that was at the path just now. */
  constructor(
    clock: Clock,
    held: MirroredDocument,
    path: DocPath,
    image: Image | undefined,
    last: Image | undefined,
  ) {
    this.#clock = clock;
    this.#held = held;
    this.#path = path;
    this.#image = image;
    this.#last = last;
    this.#seenAt = clock.now();
  }

  get path(): DocPath {
    return this.#path;
  }

  /** Undefined while the document has no file. */
  get image(): Image | undefined {
    return this.#image;
  }

  /**
   * The file that the daemon found last at the path, read or not: where that is missing, it is the one to look for.
   * Undefined while the document has no file.
   */
  get last(): Image | undefined {
    return this.#image && this.#last;
  }

  /** True when the file may have changed without a change of its stamp since the daemon looked at it. */
  get racy(): boolean {
    if (this.#image === undefined) return false;
    return this.#isHeld || this.#image.ctimeNs > BigInt(this.#seenAt) * 1_000_000n - RACY_NS;
  }

  /**
   * True when a process had the file open for writing as the daemon last read it. What such a process writes through a
   * mapping need not change the stamp.
   */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  get problem(): Blocked | undefined {
    return this.#access.is === "blocked" ? this.#access.problem : undefined;
  }

  /** The beginning of the present problem, in milliseconds since the epoch; 0 without a problem. */
  get problemSince(): number {
    return this.#access.is === "blocked" ? this.#access.since : 0;
  }

  moved(path: DocPath, image: Image | undefined): void {
    this.#path = path;
    this.seen(image, this.#isHeld);
  }

  /** `isHeld`: a process had the file open for writing before the reading began. */
  seen(image: Image | undefined, isHeld = false): void {
    this.#image = image;
    this.#last = image;
    this.#isHeld = isHeld;
    this.lookedAt();
  }

  /** Notes a file that a look found; only its content shows whether it is as known. */
  found(image: Image): void {
    this.#last = image;
  }

  /** Notes that a process has the file open for writing. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Notes the time of a look that found the file as it was. */
  lookedAt(): void {
    this.#seenAt = this.#clock.now();
  }

  /** Notes that the file was deleted. The document learns of this by itself. */
  deleted(): void {
    this.#image = undefined;
    this.#access = USABLE;
  }

  /** Notes why the file cannot be used. Ignores a problem of the same kind as the present one. */
  block(problem: Blocked, foundBy: FoundBy): void {
    const access = this.#access;
    if (access.is === "blocked" && access.problem.kind === problem.kind) {
      if (access.foundBy === "look" && foundBy === "read") this.#access = { ...access, foundBy };
      return;
    }
    const retries = access.is === "blocked" ? access.retries : 0;
    this.#access = { is: "blocked", problem, since: this.#clock.now(), foundBy, retries };
    this.#held.blocked(problem);
  }

  unblock(): void {
    if (this.#access.is === "usable") return;
    this.#access = USABLE;
    this.#held.blocked(undefined);
  }

  /** Ends a problem that the stamps showed: a look now finds the file as known. */
  unblockLook(): void {
    if (this.#access.is === "blocked" && this.#access.foundBy === "look") this.unblock();
  }

  /** Ends a problem that prevents only writes: the file already contains every edit. */
  unblockWrites(): void {
    if (this.#access.is === "blocked" && this.#access.foundBy === "write") this.unblock();
  }

  /** Returns the time to wait before the next write, in milliseconds: longer after each write that was put off. */
  nextRetryMs(): number {
    const access = this.#access;
    if (access.is === "usable") return RETRY_MS[0];
    this.#access = { ...access, retries: access.retries + 1 };
    return RETRY_MS[access.retries] ?? RETRY_MS.at(-1)!;
  }
}
