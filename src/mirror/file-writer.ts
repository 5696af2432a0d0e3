import type { Attempt, Placement, Unready } from "./attempt.ts";
import type { Clock } from "./clock.ts";
import type { DisplacedFiles } from "./displaced-files.ts";
import {
  type FileProblem,
  type Files,
  type Image,
  isFileProblem,
  type Staged,
  type Swapped,
} from "./files.ts";
import { encode } from "./format.ts";
import type { KnownFile } from "./known-file.ts";
import type { MirroredDocument, Wanted } from "./mirrored-document.ts";
import { SETTLE_MS } from "./settle-time.ts";
import type { Reached } from "./step.ts";
import { Waiters } from "./waiters.ts";

/** The time that a write waits for another process that has the file open for writing; milliseconds. */
const WRITER_MS = 50;
/** A write that takes longer is followed by a rest as long, if that is longer than `everyMs`; milliseconds. */
const LONG_WRITE_MS = 5;

/** The reading direction of the mirror, as far as the writing waits for it. */
interface Reading {
  /** Resolves when the reading under way ends; undefined while there is none. */
  readonly taking: Promise<void> | undefined;
  fresh(): Promise<void> | undefined;
}

/** One document, its file, and the parts of the mirror that the writing shares with the reading. */
interface WriterParts {
  readonly document: MirroredDocument;
  readonly docId: string;
  readonly file: KnownFile;
  readonly displaced: DisplacedFiles;
  readonly reading: Reading;
}

/**
 * Owns the writing of one document to its file, and the callers that wait for it.
 *
 *     push ─► stage ∥ journal flush ─► compare, swap ─► landed
 */
export class FileWriter {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #reached: Reached;
  readonly #document: MirroredDocument;
  readonly #docId: string;
  readonly #file: KnownFile;
  readonly #displaced: DisplacedFiles;
  readonly #reading: Reading;
  readonly #everyMs: () => number;
  readonly #stopped: AbortSignal;
  readonly #waiters = new Waiters();
  /**
   * Staged versions that were not swapped in. After a crash the daemon concludes from them that they never landed,
   * so it discards them only when a later version is noted.
   */
  readonly #unused: Staged[] = [];
  #writing: Promise<void> | undefined;
  /** Ends the rest between two writes; undefined while there is none. */
  #rest: AbortController | undefined;
  /** True once somebody asked during a write that none rests after it. */
  #isUrgent = false;
  /** Ends the pause before the next try; undefined outside of one. */
  #pause: AbortController | undefined;

  /** `everyMs` returns the shortest time between the starts of two writes that no caller waits for, in milliseconds. */
  constructor(
    ports: { readonly files: Files; readonly clock: Clock; readonly reached: Reached },
    { document, docId, file, displaced, reading }: WriterParts,
    everyMs: () => number,
    stopped: AbortSignal,
  ) {
    this.#files = ports.files;
    this.#clock = ports.clock;
    this.#reached = ports.reached;
    this.#document = document;
    this.#docId = docId;
    this.#file = file;
    this.#displaced = displaced;
    this.#reading = reading;
    this.#everyMs = everyMs;
    this.#stopped = stopped;
  }

  /** Resolves when the write under way ends; undefined while there is none. */
  get writing(): Promise<void> | undefined {
    return this.#writing;
  }

  /** Starts a write. A write under way goes on until the file contains every edit, so it covers this call too. */
  push({ atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    if (atOnce && this.#writing !== undefined) this.#hurry();
    if (this.#writing !== undefined || this.#stopped.aborted) return;
    this.#writing = this.#write();
  }

  #hurry(): void {
    if (this.#rest === undefined) this.#isUrgent = true;
    this.#rest?.abort();
  }

  /** Resolves with true when the file contains `mark`, with false as soon as it cannot at present. */
  reached(mark: number): Promise<boolean> {
    if (this.#document.holds(mark)) return Promise.resolve(true);
    if (this.#stopped.aborted || this.#document.wanted() === undefined) return Promise.resolve(false);
    const reached = this.#waiters.add(mark);
    this.#rest?.abort();
    this.push();
    return reached;
  }

  /**
   * Gives a document without a file its file again, never over another one. Calls `placed` in the turn in which the file
   * comes. Places nothing if `wanted` is not `current` any more by then.
   */
  async place(wanted: Wanted, current: () => boolean, placed: (image: Image) => void): Promise<Placement> {
    while (this.#writing !== undefined) {
      this.#hurry();
      this.#pause?.abort();
      await this.#writing;
    }
    const placing = this.#place(wanted, current, placed);
    const end = () => {
      this.#writing = undefined;
      this.push(); // a push meanwhile started no write
    };
    this.#writing = placing.then(end, (error: unknown) => {
      this.#document.broken(error);
      end();
    });
    return placing;
  }

  async #place(wanted: Wanted, current: () => boolean, placed: (image: Image) => void): Promise<Placement> {
    if (this.#stopped.aborted) return { is: "refused" };
    const staged = await this.#stage(wanted, undefined);
    if ("is" in staged) return staged;
    const image = this.#stopped.aborted || !current() ? undefined : staged.link(this.#file.path);
    if (image === undefined || isFileProblem(image)) {
      this.#unused.push(staged);
      return image === undefined ? { is: "refused" } : { is: "prevented", problem: image };
    }
    placed(image);
    return { is: "placed", image };
  }

  /** Answers every waiting caller: the file cannot be written at present. */
  sendWaitersAway(): void {
    this.#waiters.sendAway();
  }

  /** Ends the rest between two writes, and answers every waiting caller. */
  stop(): void {
    this.#rest?.abort();
    this.#pause?.abort();
    this.#waiters.sendAway();
  }

  /**
   * Writes until the file contains every edit. From the check that finds this to the end of the write nothing waits:
   * a push in between would start no write.
   */
  async #write(): Promise<void> {
    try {
      let prevented = false;
      while (!this.#stopped.aborted) {
        await this.#readBefore(prevented);
        await this.#waitForOtherWriters();
        const expected = this.#file.image;
        const wanted = this.#document.wanted();
        if (wanted === undefined) this.#file.unblockWrites();
        if (wanted === undefined || expected === undefined) break;
        const started = this.#clock.elapsed();
        const attempt = await this.#attempt(wanted, expected);
        if (attempt.is === "refused") break;
        prevented = attempt.is === "prevented";
        if (attempt.is === "prevented") await this.#prevented(attempt.problem);
        else {
          if (attempt.displaced !== undefined)
            this.#displaced.add(attempt.displaced, expected, this.#document.known(), this.#file.isHeld);
          await this.#landed(wanted.mark, attempt, started);
        }
      }
      this.#waiters.settle((mark) => this.#document.holds(mark));
    } catch (error) {
      this.#waiters.sendAway();
      this.#document.broken(error);
    } finally {
      this.#writing = undefined;
    }
  }

  /** Waits for the reading under way. Only after a failed write does it start one: each swap compares by itself. */
  async #readBefore(prevented: boolean): Promise<void> {
    await this.#reading.taking;
    if (!prevented) return;
    await this.#reading.fresh();
    // A file that cannot be read must not be replaced either.
    if (this.#file.problem !== undefined) await this.#backOff();
  }

  /**
   * Waits while another process writes to the file. It may have written half of its text, and the other half would go
   * to the displaced file. The wait is short, because some processes never close a file.
   */
  async #waitForOtherWriters(): Promise<void> {
    for (let ms = 0; ms < WRITER_MS && this.#files.openForWriting(this.#file.path); ms += SETTLE_MS) {
      this.#file.hold();
      await this.#clock.sleep(SETTLE_MS, this.#stopped);
      if (this.#stopped.aborted) return;
      await this.#reading.taking;
    }
  }

  async #attempt(wanted: Wanted, expected: Image): Promise<Attempt> {
    if (!this.#files.replaceable(expected)) return this.#overwrite(wanted, expected);
    const staged = await this.#stage(wanted, expected);
    return "is" in staged ? staged : this.#swap(staged, wanted, expected);
  }

  /** Stages a version of the file that is `like` the present one, and notes it; the store has its edits then. */
  async #stage(wanted: Wanted, like: Image | undefined): Promise<Staged | Unready> {
    const staged = await this.#files.stage(encode(wanted.content), like, this.#docId);
    if (isFileProblem(staged)) return { is: "prevented", problem: staged };
    this.#reached("staged");
    // After a crash, the place of the noted version shows whether it became the file.
    const noted = this.#document.staged(wanted.mark, staged);
    const [durable, problem] = await Promise.allSettled([wanted.durable, noted]);
    if (problem.status === "rejected") throw problem.reason;
    const unnoted = problem.value;
    if (durable.status === "rejected" || unnoted !== undefined) {
      if (unnoted?.mayBeNoted === false) staged.discard();
      else this.#unused.push(staged);
      if (durable.status === "rejected") return { is: "refused" };
      if (unnoted !== undefined) return { is: "prevented", problem: unnoted };
    }
    for (const earlier of this.#unused.splice(0)) earlier.discard();
    return staged;
  }

  async #overwrite({ content, durable }: Wanted, expected: Image): Promise<Attempt> {
    const pieces = encode(content);
    this.#reached("staged");
    const [stored] = await Promise.allSettled([durable]);
    if (stored.status === "rejected") return { is: "refused" };
    const image = this.#files.overwrite(this.#file.path, pieces, expected);
    if (isFileProblem(image)) return { is: "prevented", problem: image };
    const watch = this.#files.watchReads(this.#file.path, image);
    return { is: "landed", image, displaced: undefined, watch };
  }

  #swap(staged: Staged, { content, mark }: Wanted, expected: Image): Attempt {
    const swapped = staged.swap(this.#file.path, expected);
    if (!isFileProblem(swapped)) return { is: "landed", ...swapped };
    if (swapped.wasInPlace) this.#document.exposed(mark);
    if (swapped.overtaking === undefined) this.#unused.push(staged);
    else this.#displaced.add(swapped.overtaking, staged.image, content);
    return { is: "prevented", problem: swapped };
  }

  async #landed(mark: number, { image, watch }: Swapped, started: number): Promise<void> {
    this.#file.seen(image);
    this.#file.unblock();
    this.#document.landed(mark, image, watch);
    this.#reached("landed");
    this.#waiters.reached(mark);
    const took = this.#clock.elapsed() - started;
    await this.#restFor(Math.max(this.#everyMs() - took, took > LONG_WRITE_MS ? took : 0));
  }

  /** Lets the edits of some time wait for one write together, unless that is urgent or a caller waits for the file. */
  async #restFor(ms: number): Promise<void> {
    const isUrgent = this.#isUrgent;
    this.#isUrgent = false;
    if (ms <= 0 || isUrgent || !this.#waiters.none || this.#stopped.aborted) return;
    this.#rest = new AbortController();
    await this.#clock.sleep(ms, this.#rest.signal);
    this.#rest = undefined;
  }

  async #prevented(problem: FileProblem): Promise<void> {
    if (problem.kind === "changed" || problem.kind === "missing") return;
    this.#waiters.sendAway();
    this.#file.block(problem, "write");
    await this.#backOff();
  }

  /** Waits before the next try. A document without a file has none. */
  async #backOff(): Promise<void> {
    if (this.#stopped.aborted || this.#file.image === undefined) return;
    this.#pause = new AbortController();
    await this.#clock.sleep(this.#file.nextRetryMs(), this.#pause.signal);
    this.#pause = undefined;
  }
}
