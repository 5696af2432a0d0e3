import type { Clock } from "./clock.ts";
import { type FileReading, type Files, type Image, isFileProblem, sameImage } from "./files.ts";
import { type Decoded, decode } from "./format.ts";
import type { Blocked } from "./mirrored-document.ts";
import type { DocPath } from "./path.ts";
import { type Action, reconcile } from "./reconcile.ts";
import { SETTLE_MS, settleTimeFor } from "./settle-time.ts";
import type { Turns } from "./turns.ts";

/** After this long of being written to, a file is taken for what it is over two looks, or left for later. */
const PATIENCE_MS = 5000;
/** A larger file is only read when it held still. */
const EARLY_BYTES = 256 * 1024;

/** The file that is read, and what is known of it. */
export interface Subject {
  readonly path: DocPath;
  readonly image: Image | undefined;
  known(): Decoded;
}

/** What has become of a file. */
export type Found =
  | { readonly is: "text"; readonly content: Decoded; readonly reading: FileReading }
  | { readonly is: "blocked"; readonly problem: Blocked }
  | { readonly is: "vanished" };

/** How a file was seen, and for how many milliseconds it stayed so; undefined where it need not. */
interface Stayed {
  readonly seen: Image | undefined;
  readonly held: number | undefined;
}

/** What was read already, and how long the file has to stay as it is. */
interface Rest {
  readonly image?: Image;
  readonly ms?: number;
}

const SETTLE: Action = { do: "settle" };

/** Reads a file that others write to: not before it is whole, as far as that can be told from outside. */
export class SettledReader {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #maxBytes: number;
  readonly #subject: Subject;
  readonly #stopped: AbortSignal;
  #restless = false;

  constructor(
    ports: { readonly files: Files; readonly clock: Clock; readonly turns: Turns },
    maxBytes: number,
    subject: Subject,
    stopped: AbortSignal,
  ) {
    this.#files = ports.files;
    this.#clock = ports.clock;
    this.#turns = ports.turns;
    this.#maxBytes = maxBytes;
    this.#subject = subject;
    this.#stopped = stopped;
  }

  /** True when the file was written to for so long that what it holds now was left for later. */
  get restless(): boolean {
    return this.#restless;
  }

  /** What the file holds; undefined when it is what is known, is left for later, or nobody wants to know any more. */
  async read(first: Action): Promise<Found | undefined> {
    const started = this.#clock.elapsed();
    this.#restless = false;
    let action = first;
    let rest: Rest = {};
    while (!this.#stopped.aborted) {
      if (action.do === "none") return undefined;
      if (action.do === "blocked") return { is: "blocked", problem: action.problem };
      if (action.do === "vanished") return { is: "vanished" };
      const stayed = await this.#still(action, rest, started);
      if (stayed === undefined) {
        if (this.#restless) return undefined;
        [action, rest] = [this.look(), {}];
        continue;
      }
      await this.#turns.next();
      const reading = await this.#files.read(this.#subject.path, this.#maxBytes);
      if (isFileProblem(reading) && reading.kind === "missing") return { is: "vanished" };
      if (isFileProblem(reading) && reading.kind !== "changed") return { is: "blocked", problem: reading };
      action = SETTLE;
      // Somebody wrote since the look, so it may be half done.
      if (isFileProblem(reading) || stayed.seen === undefined || !sameImage(stayed.seen, reading.image)) {
        rest = { ms: SETTLE_MS };
        continue;
      }
      const content = decode(reading.bytes);
      if (stayed.held !== undefined) {
        const needed = this.#neededStillness(content);
        if (stayed.held < needed) {
          rest = { image: reading.image, ms: needed };
          continue;
        }
      }
      return content === undefined ? this.#notText() : { is: "text", content, reading };
    }
    return undefined;
  }

  /** What one look at the file asks for. */
  look(): Action {
    return reconcile(this.#subject.image, this.#files.look(this.#subject.path));
  }

  /** Waits until the file holds still, if it has to; undefined when it did not. */
  async #still(action: Action, rest: Rest, started: number): Promise<Stayed | undefined> {
    if (action.do === "read" || (action.do === "replaced" && this.#complete(action.afterwards)))
      return { seen: action.seen, held: undefined };
    const image = rest.image ?? this.#files.look(this.#subject.path);
    const stayed = isFileProblem(image) ? undefined : await this.#stayed(image, rest.ms);
    this.#restless = this.#clock.elapsed() - started > PATIENCE_MS;
    return stayed;
  }

  /** Of a file that took another's place: nobody writes to it, or at least its last write was elsewhere. */
  #complete(afterwards: boolean): boolean {
    const writing = this.#files.openForWriting(this.#subject.path);
    return writing === undefined ? afterwards : !writing;
  }

  /**
   * Waits for `ms` while the file stays what it was seen to be, and answers for how long it did; undefined when
   * it did not. It is enough that whoever had it open for writing closes it.
   */
  async #stayed(seen: Image, ms = this.#mayHaveGrown(seen) ? 0 : SETTLE_MS): Promise<Stayed | undefined> {
    const { path } = this.#subject;
    const open = ms > SETTLE_MS && this.#files.openForWriting(path);
    for (let held = 0; !this.#stopped.aborted; held += SETTLE_MS) {
      if (held >= ms || (held > 0 && open && !this.#files.openForWriting(path))) return { seen, held };
      await this.#clock.sleep(SETTLE_MS, this.#stopped);
      const now = this.#files.look(path);
      if (isFileProblem(now) || !sameImage(seen, now)) return undefined;
    }
    return undefined;
  }

  /** A small file that became larger is read at once: what was only appended to need not hold still. */
  #mayHaveGrown(now: Image): boolean {
    return now.size > (this.#subject.image?.size ?? 0) && now.size <= EARLY_BYTES;
  }

  #neededStillness(content: Decoded | undefined): number {
    const open = this.#files.openForWriting(this.#subject.path) ?? false;
    const needed = settleTimeFor(content, this.#subject.known(), open);
    return this.#restless ? Math.min(needed, SETTLE_MS) : needed;
  }

  #notText(): Found {
    return {
      is: "blocked",
      problem: { kind: "not_text", message: `${this.#subject.path} is not UTF-8 text` },
    };
  }
}
