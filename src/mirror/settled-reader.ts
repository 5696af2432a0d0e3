import type { Clock } from "./clock.ts";
import {
  type FileProblem,
  type FileReading,
  type Files,
  type Image,
  isFileProblem,
  sameImage,
} from "./files.ts";
import { type Decoded, decode } from "./format.ts";
import type { KnownFile } from "./known-file.ts";
import type { Blocked, MirroredDocument } from "./mirrored-document.ts";
import { type Action, reconcile } from "./reconcile.ts";
import { SETTLE_MS, settleTimeFor } from "./settle-time.ts";
import type { Turns } from "./turns.ts";

/** After this time, a file that changes all the time is read when two looks agree, or left for later; milliseconds. */
const PATIENCE_MS = 5000;
/** A larger file is read only after it settled. */
const EARLY_BYTES = 256 * 1024;

/** The result of a reading. */
export type Found =
  /** `isHeld`: a process had the file open for writing before the reading began. */
  | {
      readonly is: "text";
      readonly content: Decoded;
      readonly reading: FileReading;
      readonly isHeld: boolean;
    }
  | { readonly is: "blocked"; readonly problem: Blocked; readonly by: "look" | "read" }
  | { readonly is: "missing" };

/** The look of a file and the milliseconds for which it stayed the same; undefined for a file that need not settle. */
interface Stayed {
  readonly seen: Image | undefined;
  readonly stayedMs: number | undefined;
}

/** The file as it was read before it settled, and the time for which it has to stay so. */
interface Requirement {
  readonly image?: Image;
  readonly ms?: number;
}

const SETTLE: Action = { do: "settle" };

/** Reads a file that other processes write to, and waits until it is whole, as far as its stamps and writers show. */
export class SettledReader {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #maxBytes: number;
  readonly #file: KnownFile;
  readonly #document: Pick<MirroredDocument, "known">;
  readonly #stopped: AbortSignal;
  #restless = false;
  /** True once the reading under way has taken so long that it waits no longer than it must. */
  #isHasty = false;

  constructor(
    ports: { readonly files: Files; readonly clock: Clock; readonly turns: Turns },
    maxBytes: number,
    file: KnownFile,
    document: Pick<MirroredDocument, "known">,
    stopped: AbortSignal,
  ) {
    this.#files = ports.files;
    this.#clock = ports.clock;
    this.#turns = ports.turns;
    this.#maxBytes = maxBytes;
    this.#file = file;
    this.#document = document;
    this.#stopped = stopped;
  }

  /** True when the last reading gave up, because other processes wrote to the file all the time. */
  get restless(): boolean {
    return this.#restless;
  }

  /**
   * Reads the content of the file. Returns undefined when the file is as known, when the reading gave up (`restless`),
   * and when the mirror is closed.
   */
  async read(first: Action): Promise<Found | undefined> {
    const started = this.#clock.elapsed();
    this.#restless = false;
    this.#isHasty = false;
    let action = first;
    let required: Requirement = {};
    while (!this.#stopped.aborted) {
      if (action.do === "none") return undefined;
      if (action.do === "blocked") return { is: "blocked", problem: action.problem, by: "look" };
      if (action.do === "missing") return { is: "missing" };
      const stayed = await this.#settled(action, required, started);
      if (stayed === undefined) {
        this.#restless = this.#isHasty;
        if (this.#restless) return undefined;
        [action, required] = [this.look(), {}];
        continue;
      }
      await this.#turns.next();
      const isHeld = this.#files.openForWriting(this.#file.path) === true;
      const reading = await this.#files.read(this.#file.path, this.#maxBytes);
      if (isFileProblem(reading) && reading.kind === "missing") return { is: "missing" };
      if (isFileProblem(reading) && reading.kind !== "changed")
        return { is: "blocked", problem: reading, by: "read" };
      action = SETTLE;
      // Another process wrote since the look, so its write may be half done.
      if (isFileProblem(reading) || stayed.seen === undefined || !sameImage(stayed.seen, reading.image)) {
        required = { ms: SETTLE_MS };
        continue;
      }
      const content = decode(reading.bytes);
      if (stayed.stayedMs !== undefined) {
        const needed = this.#settleTime(content);
        if (stayed.stayedMs < needed) {
          required = { image: reading.image, ms: needed };
          continue;
        }
      }
      return content === undefined ? this.#notText() : { is: "text", content, reading, isHeld };
    }
    return undefined;
  }

  /** Returns the action that one look at the file calls for. */
  look(): Action {
    return reconcile(this.#file.image, this.#find());
  }

  #find(): Image | FileProblem {
    const found = this.#files.look(this.#file.path);
    if (!isFileProblem(found)) this.#file.found(found);
    return found;
  }

  /** Waits until the file settles, if it has to; undefined when it changed meanwhile. */
  async #settled(action: Action, required: Requirement, started: number): Promise<Stayed | undefined> {
    if (action.do === "read" || (action.do === "replaced" && this.#complete(action.afterwards)))
      return { seen: action.seen, stayedMs: undefined };
    const image = required.image ?? this.#find();
    const stayed = isFileProblem(image) ? undefined : await this.#stayed(image, required.ms);
    this.#isHasty = this.#clock.elapsed() - started > PATIENCE_MS;
    return stayed;
  }

  /** Returns true for a file that took another's place when no process writes to it, as far as the system shows. */
  #complete(afterwards: boolean): boolean {
    const writing = this.#files.openForWriting(this.#file.path);
    return writing === undefined ? afterwards : !writing;
  }

  /**
   * Waits for `ms` while the file stays as it was seen; undefined when it changed meanwhile. The wait ends early when
   * the process that had the file open for writing closes it.
   */
  async #stayed(seen: Image, ms = this.#mayHaveGrown(seen) ? 0 : SETTLE_MS): Promise<Stayed | undefined> {
    const { path } = this.#file;
    const open = ms > SETTLE_MS && this.#files.openForWriting(path);
    for (let stayedMs = 0; !this.#stopped.aborted; stayedMs += SETTLE_MS) {
      if (stayedMs >= ms || (stayedMs > 0 && open && !this.#files.openForWriting(path)))
        return { seen, stayedMs };
      await this.#clock.sleep(SETTLE_MS, this.#stopped);
      const now = this.#files.look(path);
      if (isFileProblem(now) || !sameImage(seen, now)) return undefined;
    }
    return undefined;
  }

  /** Returns true for a small file that became larger. It is read at once: appended lines need not settle. */
  #mayHaveGrown(now: Image): boolean {
    return now.size > (this.#file.image?.size ?? 0) && now.size <= EARLY_BYTES;
  }

  #settleTime(content: Decoded | undefined): number {
    const open = this.#files.openForWriting(this.#file.path) ?? false;
    const needed = settleTimeFor(content, this.#document.known(), open);
    return this.#isHasty ? Math.min(needed, SETTLE_MS) : needed;
  }

  #notText(): Found {
    return {
      is: "blocked",
      by: "read",
      problem: { kind: "not_text", message: `${this.#file.path} is not UTF-8 text` },
    };
  }
}
