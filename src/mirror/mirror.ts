import type { Clock } from "./clock.ts";
import {
  type FileProblem,
  type Files,
  type Image,
  isFileProblem,
  type Reading,
  type Staged,
  sameImage,
} from "./files.ts";
import { type Decoded, decode, encode } from "./format.ts";
import type { Blocked, Held, Wanted } from "./held.ts";
import type { DocPath } from "./path.ts";
import { type Action, reconcile } from "./reconcile.ts";
import type { Reached } from "./step.ts";
import { Waiters } from "./waiters.ts";

export interface MirrorOptions {
  readonly maxBytes: number;
  /** How long a file may be away before it counts as deleted, in milliseconds (I10). */
  readonly deleteGraceMs: number;
}

/** Two looks this far apart must agree before an in-place write is taken in (I5); milliseconds. */
const SETTLE_MS = 10;
/** What looks like a write under way, because the file ends early or is open for it, has to hold still this long. */
const TORN_MS = 200;
/** A file that never holds still is left for later after this long. */
const RESTLESS_MS = 2000;
/** Stamps this close to the look that saw them may hide a second write in the same clock tick. */
const RACY_NS = 20_000_000n;
const RETRY_MS = [100, 250, 500, 1000, 2000, 5000];
/** A write longer than this is followed by a pause as long, unless somebody waits for the file. */
const LONG_WRITE_MS = 5;

/**
 * Keeps one file and one document in step. Hints only say when to look; what is true is the file (I9).
 *
 *     look ─► reconcile ─► settle/read ─► saved (outside edit)
 *     push ─► stage ∥ journal flush ─► compare, swap ─► landed
 */
export class Mirror {
  readonly #files: Files;
  readonly #held: Held;
  readonly #clock: Clock;
  readonly #reached: Reached;
  readonly #options: MirrorOptions;
  readonly #abort = new AbortController();
  readonly #waiters = new Waiters();
  #path: DocPath;
  #image: Image | undefined;
  #seenAt = 0;
  #taking: Promise<void> | undefined;
  #writing: Promise<void> | undefined;

  /** They stay until a later one is noted: that they were not swapped in must show after a crash. */
  readonly #refused: Staged[] = [];
  #blocked: Blocked | undefined;
  #blockedSince = 0;
  #failures = 0;

  constructor(
    ports: { readonly files: Files; readonly clock: Clock; readonly reached: Reached },
    options: MirrorOptions,
    held: Held,
    path: DocPath,
    image: Image | undefined,
  ) {
    this.#files = ports.files;
    this.#clock = ports.clock;
    this.#reached = ports.reached;
    this.#options = options;
    this.#held = held;
    this.#path = path;
    this.#setImage(image);
  }

  get image(): Image | undefined {
    return this.#image;
  }

  get problem(): Blocked | undefined {
    return this.#blocked;
  }

  /** When the present problem began, in milliseconds since the epoch. */
  get problemSince(): number {
    return this.#blockedSince;
  }

  get idle(): boolean {
    return this.#taking === undefined && this.#writing === undefined;
  }

  /** The file was moved, made or (undefined) removed by us. */
  moved(path: DocPath, image: Image | undefined): void {
    this.#path = path;
    this.#setImage(image);
  }

  /** True when the file holds what the disk replica says, as far as one look tells. */
  looksCurrent(): boolean {
    return reconcile(this.#image, this.#files.look(this.#path)).do === "none";
  }

  /**
   * Looks at the file and takes in what was saved to it. Undefined when there was nothing to do, so that
   * callers need not wait; otherwise resolves when memory holds what the file held.
   */
  fresh(): Promise<void> | undefined {
    if (this.#taking !== undefined) return this.#taking;
    if (this.#abort.signal.aborted) return undefined;
    const action = reconcile(this.#image, this.#files.look(this.#path));
    if (action.do === "none") {
      // The file is back as it was.
      if (this.#blocked?.kind === "missing") this.#unblock();
      return undefined;
    }
    return this.#take(action);
  }

  /** Reads the file whatever its stamp says. */
  async reread(): Promise<void> {
    await this.#taking;
    await this.#take({ do: "read", seen: this.#image });
  }

  /** As fresh, and also re-reads a file whose stamp is too young to be trusted. */
  verify(): Promise<void> | undefined {
    const image = this.#image;
    const racy = image !== undefined && image.ctimeNs > BigInt(this.#seenAt) * 1_000_000n - RACY_NS;
    if (!racy || this.#taking !== undefined) return this.fresh();
    this.#seenAt = this.#clock.now();
    return this.#take({ do: "read", seen: this.#image });
  }

  /** Brings the file up to the document: at once when idle, after the running write otherwise. */
  push(): void {
    if (this.#writing !== undefined || this.#abort.signal.aborted) return;
    this.#writing = this.#write();
  }

  /** Resolves with true once the file holds `mark`, with false as soon as it is known that it cannot now. */
  reached(mark: number): Promise<boolean> {
    if (this.#held.holds(mark)) return Promise.resolve(true);
    if (this.#abort.signal.aborted || this.#held.wanted() === undefined) return Promise.resolve(false);
    const reached = this.#waiters.add(mark);
    this.push();
    return reached;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#waiters.sendAway();
    await Promise.allSettled([this.#taking, this.#writing]);
  }

  #take(action: Action): Promise<void> {
    this.#taking = this.#takeIn(action)
      .catch((error: unknown) => this.#held.broken(error))
      .finally(() => {
        this.#taking = undefined;
      });
    return this.#taking;
  }

  async #takeIn(first: Action): Promise<void> {
    const started = this.#clock.now();
    let action = first;
    let still = 0;
    while (!this.#abort.signal.aborted) {
      if (action.do === "none") return;
      if (action.do === "blocked") return this.#block(action.problem);
      if (action.do === "vanished") {
        action = await this.#awaitReturn();
        if (action.do === "vanished") return;
        continue;
      }
      if (action.do === "replaced")
        action = this.#complete(action.afterwards) ? { do: "read", seen: action.seen } : { do: "settle" };
      if (action.do === "settle" && !(await this.#holdsStill(Math.max(SETTLE_MS, still)))) {
        if (this.#clock.now() - started > RESTLESS_MS) return;
        action = reconcile(this.#image, this.#files.look(this.#path));
        continue;
      }
      if (action.do === "settle" && still < TORN_MS && this.#files.openForWriting(this.#path)) {
        still = TORN_MS;
        continue;
      }
      const reading = await this.#files.read(this.#path, this.#options.maxBytes);
      if (isFileProblem(reading)) {
        if (reading.kind === "changed") action = { do: "settle" };
        else if (reading.kind === "missing") action = { do: "vanished" };
        else return this.#block(reading);
        continue;
      }
      // Somebody wrote since the look, so it may be half done.
      if (action.do === "read" && !(action.seen && sameImage(action.seen, reading.image))) {
        action = { do: "settle" };
        continue;
      }
      const content = decode(reading.bytes);
      if (content === undefined)
        return this.#block({
          kind: "not_text",
          message: `${this.#path} is not UTF-8 text`,
        });
      if (still < TORN_MS && action.do === "settle" && endsEarly(content, this.#held.known())) {
        still = TORN_MS;
        continue;
      }
      return this.#accept(content, reading);
    }
  }

  async #accept(content: Decoded, { bytes, image }: Reading): Promise<void> {
    const known = this.#held.known();
    // Our own write, or a save that changed nothing: known by content, not by timing (I4).
    const same = known.bom === content.bom && known.text.equals(content.text);
    const meant = same || (await this.#held.meant(content, bytes));
    if (this.#abort.signal.aborted) return;
    this.#setImage(image);
    this.#unblock();
    if (same) this.#held.touched(image);
    else this.#held.saved(content, image, meant);
  }

  /** Of a file that took another's place: nobody writes to it, or at least its last write was elsewhere. */
  #complete(afterwards: boolean): boolean {
    const writing = this.#files.openForWriting(this.#path);
    return writing === undefined ? afterwards : !writing;
  }

  async #holdsStill(ms: number): Promise<boolean> {
    const before = this.#files.look(this.#path);
    await this.#clock.sleep(ms, this.#abort.signal);
    const after = this.#files.look(this.#path);
    return !isFileProblem(before) && !isFileProblem(after) && sameImage(before, after);
  }

  /** Waits out the grace time; a save by rename has put a file there again before it ends (I10). */
  async #awaitReturn(): Promise<Action> {
    const until = this.#clock.now() + this.#options.deleteGraceMs;
    while (!this.#abort.signal.aborted) {
      const seen = this.#files.look(this.#path);
      if (!isFileProblem(seen)) return { do: "settle" };
      if (seen.kind !== "missing") return { do: "blocked", problem: seen };
      if (this.#clock.now() >= until) break;
      await this.#clock.sleep(SETTLE_MS, this.#abort.signal);
    }
    if (this.#abort.signal.aborted) return { do: "none" };
    if (!this.#files.rootStands()) return missing("the workspace folder is gone; it is waited for");
    const fate = await this.#held.fate();
    if (fate === "moved") return { do: "settle" };
    if (fate === "unsure") return missing("gone with most others at once; say spliced resume to believe it");
    this.#image = undefined;
    this.#waiters.sendAway();
    this.#held.gone();
    return { do: "vanished" };
  }

  /** Writes until nothing is left; over in the very instant that this is found, so that no push is missed. */
  async #write(): Promise<void> {
    try {
      let disturbed = false;
      while (!this.#abort.signal.aborted) {
        await this.#undisturbed(disturbed);
        const expected = this.#image;
        const wanted = this.#held.wanted();
        if (wanted === undefined || expected === undefined) break;
        const started = this.#clock.now();
        const image = await this.#put(wanted, expected);
        if (image === undefined) break; // the journal refused it: there is nothing to write any more
        disturbed = isFileProblem(image);
        if (isFileProblem(image)) await this.#hindered(image);
        else await this.#landed(wanted.mark, image, started);
      }
      this.#waiters.settle((mark) => this.#held.holds(mark));
    } catch (error) {
      this.#waiters.sendAway();
      this.#held.broken(error);
    } finally {
      this.#writing = undefined;
    }
  }

  /** The swap compares, so a look before a write is only worth its while when the last one failed. */
  async #undisturbed(disturbed: boolean): Promise<void> {
    await this.#taking;
    if (!disturbed) return;
    await this.fresh();
    // What is on disk could not be read, so it must not be replaced either.
    if (this.#blocked !== undefined) await this.#backOff();
  }

  async #landed(mark: number, image: Image, started: number): Promise<void> {
    this.#setImage(image);
    this.#unblock();
    this.#held.landed(mark, image);
    this.#reached("landed");
    this.#waiters.reached(mark);
    const took = this.#clock.now() - started;
    if (took > LONG_WRITE_MS && this.#waiters.none) await this.#clock.sleep(took, this.#abort.signal);
  }

  async #hindered(problem: FileProblem): Promise<void> {
    if (problem.kind === "changed" || problem.kind === "missing") return;
    this.#block(problem);
    await this.#backOff();
  }

  #backOff(): Promise<void> {
    const ms = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)]!;
    return this.#clock.sleep(ms, this.#abort.signal);
  }

  async #put(wanted: Wanted, expected: Image): Promise<Image | FileProblem | undefined> {
    const pieces = encode(wanted.content);
    const staged = this.#files.replaceable(expected) ? await this.#files.stage(pieces, expected) : undefined;
    if (staged !== undefined && isFileProblem(staged)) return staged;
    this.#reached("staged");
    // Whether the swap was done before a crash shows by where the staged file is then, if it is known which.
    const noted = staged && this.#held.staged(wanted.mark, staged);
    const [durable, problem] = await Promise.allSettled([wanted.durable, noted]);
    if (problem.status === "rejected") throw problem.reason;
    const unnoted = problem.value;
    if (durable.status === "rejected" || unnoted !== undefined) {
      if (unnoted?.kind === "full")
        staged?.discard(); // it was not noted, so nobody will ask about it
      else if (staged !== undefined) this.#refused.push(staged);
      // An edit that is not durable is refused where it was journaled.
      return durable.status === "fulfilled" ? unnoted : undefined;
    }
    for (const earlier of this.#refused.splice(0)) earlier.discard();
    const image = staged?.swap(this.#path, expected) ?? this.#files.overwrite(this.#path, pieces, expected);
    if (isFileProblem(image) && staged !== undefined) this.#refused.push(staged);
    return image;
  }

  #setImage(image: Image | undefined): void {
    this.#image = image;
    this.#seenAt = this.#clock.now();
  }

  #block(problem: Blocked): void {
    this.#waiters.sendAway();
    if (this.#blocked?.kind === problem.kind) return;
    this.#blocked = problem;
    this.#blockedSince = this.#clock.now();
    this.#held.blocked(problem);
  }

  #unblock(): void {
    this.#failures = 0;
    if (this.#blocked === undefined) return;
    this.#blocked = undefined;
    this.#held.blocked(undefined);
  }
}

function missing(message: string): Action {
  return { do: "blocked", problem: { kind: "missing", message } };
}

/** True when a file lost its end and nothing else: what a write that is not done yet looks like. */
function endsEarly(now: Decoded, known: Decoded): boolean {
  return now.text.chars < known.text.chars && known.text.slice(0, now.text.chars) === now.text.toString();
}
