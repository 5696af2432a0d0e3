import type { Clock } from "./clock.ts";
import {
  type FileProblem,
  type FileReading,
  type Files,
  type Image,
  isFileProblem,
  type LeftBehind,
  type Staged,
  type Swapped,
} from "./files.ts";
import { type Decoded, decode, encode } from "./format.ts";
import type { Blocked, MirroredDocument, Wanted } from "./mirrored-document.ts";
import { SettledReader, type Subject } from "./settled-reader.ts";
import { KnownFile } from "./known-file.ts";
import type { DocPath } from "./path.ts";
import type { Action } from "./reconcile.ts";
import type { Reached } from "./step.ts";
import { SETTLE_MS } from "./settle-time.ts";
import { DisplacedFiles } from "./displaced-files.ts";
import type { Turns } from "./turns.ts";
import { Waiters } from "./waiters.ts";

export interface MirrorOptions {
  readonly maxBytes: number;
  /** How long a file may be away before it counts as deleted, in milliseconds (I10). */
  readonly deleteGraceMs: number;
}

/** Somebody who has the file open for writing is mostly done with it within this time; milliseconds. */
const WRITER_MS = 50;
/** A write longer than this is followed by a pause as long, unless somebody waits for the file. */
const LONG_WRITE_MS = 5;

/**
 * Keeps one file and one document in step. Hints only say when to look; what is true is the file (I9).
 *
 *     look ─► reconcile ─► settle/read ─► saved (outside edit)
 *     push ─► stage ∥ journal flush ─► compare, swap ─► landed
 */
export class Mirror implements Subject {
  readonly #files: Files;
  readonly #held: MirroredDocument;
  readonly #clock: Clock;
  readonly #reached: Reached;
  readonly #docId: string;
  readonly #options: MirrorOptions;
  readonly #abort = new AbortController();
  readonly #waiters = new Waiters();
  readonly #strays: DisplacedFiles;
  readonly #intake: SettledReader;
  readonly #file: KnownFile;
  /** Looks that were begun, and the newest of them that all was taken in of. */
  #begun = 0;
  #done = 0;
  #taking: Promise<void> | undefined;
  #writing: Promise<void> | undefined;

  /** They stay until a later one is noted: that they were not swapped in must show after a crash. */
  readonly #refused: Staged[] = [];

  constructor(
    ports: {
      readonly files: Files;
      readonly clock: Clock;
      readonly turns: Turns;
      readonly reached: Reached;
    },
    options: MirrorOptions,
    held: MirroredDocument,
    docId: string,
    path: DocPath,
    image: Image | undefined,
  ) {
    this.#files = ports.files;
    this.#clock = ports.clock;
    this.#reached = ports.reached;
    this.#options = options;
    this.#held = held;
    this.#docId = docId;
    this.#file = new KnownFile(ports.clock, held, path, image);
    this.#strays = new DisplacedFiles(ports.clock, options.maxBytes);
    this.#intake = new SettledReader(ports, options.maxBytes, this, this.#abort.signal);
  }

  get path(): DocPath {
    return this.#file.path;
  }

  get image(): Image | undefined {
    return this.#file.image;
  }

  /** What the file is known to hold. */
  known(): Decoded {
    return this.#held.known();
  }

  get problem(): Blocked | undefined {
    return this.#file.problem;
  }

  /** When the present problem began, in milliseconds since the epoch. */
  get problemSince(): number {
    return this.#file.problemSince;
  }

  /** True when the file was written to for so long that what it holds now was left for later. */
  get restless(): boolean {
    return this.#intake.restless;
  }

  get idle(): boolean {
    return this.#taking === undefined && this.#writing === undefined && this.#strays.none;
  }

  /** The file was moved, made or (undefined) removed by us. */
  moved(path: DocPath, image: Image | undefined): void {
    this.#file.moved(path, image);
  }

  /** True when the file holds what the disk replica says, as far as one look tells. */
  looksCurrent(): boolean {
    return this.#intake.look().do === "none";
  }

  /** How many looks at the file were begun. */
  get looks(): number {
    return this.#begun;
  }

  /** True when memory holds what the file held at a look that was begun after so many. */
  lookedSince(looks: number): boolean {
    return this.#done > looks;
  }

  /**
   * Looks at the file and takes in what was saved to it. Undefined when there was nothing to do, so that
   * callers need not wait; otherwise resolves when memory holds what the file held.
   */
  fresh(): Promise<void> | undefined {
    if (this.#taking !== undefined) return this.#taking;
    if (this.#abort.signal.aborted) return undefined;
    const action = this.#intake.look();
    if (action.do === "none") {
      // The file is back as it was.
      if (this.#file.problem?.kind === "missing") this.#file.unblock();
      this.#done = ++this.#begun;
      return undefined;
    }
    return this.#take(action);
  }

  /** Reads the file whatever its stamp says. */
  async reread(): Promise<void> {
    while (this.#taking !== undefined) await this.#taking;
    await this.#take({ do: "read", seen: this.#file.image });
  }

  /** As fresh, and also re-reads a file whose stamp is too young to be trusted. */
  verify(): Promise<void> | undefined {
    if (!this.#file.racy || this.#taking !== undefined) return this.fresh();
    this.#file.lookedAt();
    return this.#take({ do: "read", seen: this.#file.image });
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

  /** Goes on looking after what an earlier process replaced (I3): what is written there from now on is merged. */
  inherit({ file, reading }: LeftBehind): void {
    const known = this.#abort.signal.aborted ? undefined : decode(reading.bytes);
    if (known === undefined) file.discard();
    else this.#strays.add(file, reading.image, known);
  }

  /** Looks for what was written, by whoever had it open, into what we have replaced. */
  sweep(): Promise<void> | undefined {
    return this.#strays.none ? undefined : this.#strays.sweep(this.#late).catch(this.#broken);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#waiters.sendAway();
    await Promise.allSettled([this.#taking, this.#writing]);
    await this.#strays.close(this.#late).catch(this.#broken);
  }

  readonly #late = (known: Decoded, content: Decoded) => this.#held.late(known, content);
  readonly #broken = (error: unknown) => this.#held.broken(error);

  #take(action: Action): Promise<void> {
    const look = ++this.#begun;
    this.#taking = this.#takeIn(action)
      .catch(this.#broken)
      .finally(() => {
        this.#taking = undefined;
        this.#done = look;
      });
    return this.#taking;
  }

  async #takeIn(first: Action): Promise<void> {
    let action = first;
    for (;;) {
      const found = await this.#intake.read(action);
      if (found === undefined) return;
      if (found.is === "blocked") return this.#block(found.problem, "read");
      if (found.is === "text") return this.#accept(found.content, found.reading);
      action = await this.#awaitReturn();
      if (action.do === "vanished") return;
    }
  }

  async #accept(content: Decoded, { bytes, image }: FileReading): Promise<void> {
    const known = this.#held.known();
    // Our own write, or a save that changed nothing: known by content, not by timing (I4).
    const same = known.bom === content.bom && known.text.equals(content.text);
    const meant = same || (await this.#held.meant(content, bytes));
    if (this.#abort.signal.aborted) return;
    this.#file.seen(image);
    this.#file.unblock();
    if (same) this.#held.touched(image);
    else this.#held.saved(content, image, meant);
  }

  /** Waits out the grace time; a save by rename has put a file there again before it ends (I10). */
  async #awaitReturn(): Promise<Action> {
    const until = this.#clock.elapsed() + this.#options.deleteGraceMs;
    while (!this.#abort.signal.aborted) {
      const seen = this.#files.look(this.#file.path);
      if (!isFileProblem(seen)) return { do: "settle" };
      if (seen.kind !== "missing") return { do: "blocked", problem: seen };
      if (this.#clock.elapsed() >= until) break;
      await this.#clock.sleep(SETTLE_MS, this.#abort.signal);
    }
    if (this.#abort.signal.aborted) return { do: "none" };
    if (!this.#files.rootStands()) return missing("the workspace folder is gone; it is waited for");
    const fate = await this.#held.fate();
    if (this.#abort.signal.aborted) return { do: "none" };
    if (fate === "moved") return { do: "settle" };
    if (!isFileProblem(this.#files.look(this.#file.path))) return { do: "settle" }; // back by now
    if (fate === "unsure") return missing("gone with most others at once; say spliced resume to believe it");
    this.#file.deleted();
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
        await this.#unwritten();
        const expected = this.#file.image;
        const wanted = this.#held.wanted();
        if (wanted === undefined) this.#file.unblockWrites();
        if (wanted === undefined || expected === undefined) break;
        const started = this.#clock.elapsed();
        const put = await this.#put(wanted, expected);
        if (put === undefined) break; // the journal refused it: there is nothing to write any more
        disturbed = isFileProblem(put);
        if (isFileProblem(put)) await this.#hindered(put);
        else {
          if (put.displaced !== undefined) this.#strays.add(put.displaced, expected, this.#held.known());
          await this.#landed(wanted.mark, put.image, started);
        }
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
    if (this.#file.problem !== undefined) await this.#backOff();
  }

  /**
   * Waits for whoever is writing to the file: what they wrote so far may be half of it, and the rest would go to what
   * the file was. Not for long, because some keep files open for good.
   */
  async #unwritten(): Promise<void> {
    for (let ms = 0; ms < WRITER_MS && this.#files.openForWriting(this.#file.path); ms += SETTLE_MS) {
      await this.#clock.sleep(SETTLE_MS, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      await this.#taking;
    }
  }

  async #landed(mark: number, image: Image, started: number): Promise<void> {
    this.#file.seen(image);
    this.#file.unblock();
    this.#held.landed(mark, image);
    this.#reached("landed");
    this.#waiters.reached(mark);
    const took = this.#clock.elapsed() - started;
    if (took > LONG_WRITE_MS && this.#waiters.none) await this.#clock.sleep(took, this.#abort.signal);
  }

  async #hindered(problem: FileProblem): Promise<void> {
    if (problem.kind === "changed" || problem.kind === "missing") return;
    this.#block(problem, "write");
    await this.#backOff();
  }

  #backOff(): Promise<void> {
    return this.#clock.sleep(this.#file.nextRetryMs(), this.#abort.signal);
  }

  async #put(wanted: Wanted, expected: Image): Promise<Swapped | FileProblem | undefined> {
    const pieces = encode(wanted.content);
    const replaceable = this.#files.replaceable(expected);
    const staged = replaceable ? await this.#files.stage(pieces, expected, this.#docId) : undefined;
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
    if (staged === undefined) {
      const image = this.#files.overwrite(this.#file.path, pieces, expected);
      return isFileProblem(image) ? image : { image, displaced: undefined };
    }
    for (const earlier of this.#refused.splice(0)) earlier.discard();
    const swapped = staged.swap(this.#file.path, expected);
    if (!isFileProblem(swapped)) return swapped;
    if (swapped.overtaking === undefined) this.#refused.push(staged);
    else this.#strays.add(swapped.overtaking, staged.image, wanted.content);
    return swapped;
  }

  #block(problem: Blocked, foundBy: "read" | "write"): void {
    this.#waiters.sendAway();
    this.#file.block(problem, foundBy);
  }
}

function missing(message: string): Action {
  return { do: "blocked", problem: { kind: "missing", message } };
}
