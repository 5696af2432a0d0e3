import type { Reached } from "../../mirror/step.ts";
import type { FrontLog } from "../log/front-log.ts";
import { storeFailure } from "../store.ts";
import { Attempts } from "./attempts.ts";
import type { Behind } from "./behind.ts";
import type { StoreHealth } from "./store-health.ts";
import { packGroup, type RecordWrite } from "./write.ts";

/** The bytes behind, and the time, after which the database takes in the groups of the front log. */
const MOST_BEHIND = 512 << 10;
const BEHIND_MS = 500;
/** The store is busy after this many groups with no longer pause, and at rest after such a time without any. */
const BUSY_GROUPS = 8;
const PAUSE_MS = 1_000;
const REST_MS = 10_000;
/** Groups until the next try, when no front log could be made. */
const LATER_GROUPS = 1000;

/**
 * The most sparing records of a group for the front log. Nobody waits for them, and more of them cost more to write
 * twice, and to have in memory meanwhile, than a second flush.
 */
const MOST_SPARING = 128;

interface Waiting {
  readonly writes: readonly RecordWrite[];
  readonly sparing: boolean;
  readonly done: () => void;
  readonly refuse: (error: unknown) => void;
}

interface Parts {
  readonly health: StoreHealth;
  readonly log: FrontLog;
  readonly behind: Behind;
  /** Commits writes to the database, with the number of their last group. */
  readonly commit: (writes: readonly RecordWrite[], seq: number) => Promise<void>;
  /** The number of the last group of an earlier process. */
  readonly seq: number;
  readonly reached: Reached;
}

/**
 * Owns the order of all writes. Writes that wait together are one group, and each group is durable before the next
 * begins. A busy store writes groups to the front log, and the database takes them in together, later. Without a front
 * log, and for a group that is too large for it, the database takes in everything at once.
 */
export class GroupWriter {
  readonly #parts: Parts;
  readonly #attempts: Attempts;
  /** The number of the last durable group. */
  #seq: number;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  /** Resolves when the database is free for the next transaction. */
  #database: Promise<unknown> = Promise.resolve();
  #making: Promise<void> | undefined;
  #takingIn: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  #resting: NodeJS.Timeout | undefined;
  #groups = 0;
  #lastGroup = 0;
  #lastChange = performance.now();
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#attempts = new Attempts(parts.health);
    this.#seq = parts.seq;
    if (parts.behind.isEmpty) parts.log.taken(parts.seq);
    else void this.#takeIn();
  }

  /**
   * Starts a write of about `bytes` bytes. Resolves when it is durable, with all writes that began before it (I2).
   * After a failed flush no later one is trusted: the system drops the pages that it could not write, and then reports
   * success without them. A `sparing` write is refused before the disk is full, and nobody waits for it. @throws
   * StoreError
   */
  async write(
    work: () => readonly RecordWrite[],
    bytes = 0,
    { sparing = false }: { readonly sparing?: boolean } = {},
  ): Promise<void> {
    this.#parts.health.admit(bytes, { sparing });
    const writes = work();
    await new Promise<void>((done, refuse) => {
      this.#waiting.push({ writes, sparing, done, refuse });
      this.#running ??= this.#run();
    });
  }

  /** The time of the last group or transaction, or of the start; milliseconds of the process. */
  get lastChange(): number {
    return this.#lastChange;
  }

  /** Runs work between two transactions. Rejects as a write to the disk does. @throws StoreError */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(() => this.#attempts.settle(work()));
  }

  /** Waits until the database has every write, and removes the log. While writes are refused, the log stays. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#resting);
    await this.#running;
    await this.#making;
    await this.#takingIn;
    await this.#takeIn();
    if (this.#parts.behind.isEmpty) this.#parts.log.remove();
  }

  async #run(): Promise<void> {
    await new Promise((next) => setImmediate(next)); // the other writes of this turn join
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      const spared = group.reduce((sum, { writes, sparing }) => sum + (sparing ? writes.length : 0), 0);
      const stored = this.#store(
        group.flatMap(({ writes }) => writes),
        spared <= MOST_SPARING,
      );
      const failure = await stored.catch((error: unknown) => error);
      for (const { done, refuse } of group) failure === undefined ? done() : refuse(failure);
    }
    this.#running = undefined;
  }

  async #store(writes: readonly RecordWrite[], mayLog: boolean): Promise<undefined> {
    const { health } = this.#parts;
    health.checkTrust();
    if (writes.length === 0) return;
    if (health.trouble !== undefined || !mayLog || !(await this.#log(writes))) await this.#commit(writes);
    health.worked();
    this.#noteUse();
  }

  /** Writes a group to the front log; false when it must go to the database. */
  async #log(writes: readonly RecordWrite[]): Promise<boolean> {
    const { log, behind } = this.#parts;
    const seq = this.#seq + 1;
    if (!log.takes(bytesOf(writes))) return false;
    if (!(await this.#attempts.settle(log.append(seq, packGroup(writes))))) return false;
    this.#seq = seq;
    behind.add(writes, seq);
    if (behind.bytes > MOST_BEHIND || log.isFilling) void this.#takeIn();
    else this.#soon ??= setTimeout(() => void this.#takeIn(), BEHIND_MS).unref();
    return true;
  }

  /** Writes a group to the database, after everything behind it. */
  #commit(writes: readonly RecordWrite[]): Promise<void> {
    return this.#alone(async () => {
      await this.#transact(writes, this.#seq + 1);
      this.#seq += 1;
    });
  }

  /**
   * The database takes in everything behind. When it cannot, the log preserves these groups, and the store's trouble
   * has the reason.
   */
  #takeIn(): Promise<void> {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#takingIn ??= storeFailure(this.#alone(() => this.#transact([], this.#seq)))
      .then(() => {})
      .finally(() => {
        this.#takingIn = undefined;
      });
    return this.#takingIn;
  }

  async #transact(writes: readonly RecordWrite[], seq: number): Promise<void> {
    const { behind, log, health, commit, reached } = this.#parts;
    health.checkTrust();
    const all = [...behind.all(), ...writes];
    if (all.length === 0) return;
    await this.#attempts.settle(commit(all, seq));
    if (log.isMade) reached("taken in");
    behind.drop(seq);
    log.taken(seq);
    this.#lastChange = performance.now();
  }

  /** Runs one transaction after the other: none may begin with older records than the one before it. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#database.then(work);
    this.#database = done.catch(() => undefined);
    return done;
  }

  #noteUse(): void {
    const now = performance.now();
    this.#groups = now - this.#lastGroup > PAUSE_MS ? 1 : this.#groups + 1;
    this.#lastGroup = now;
    this.#lastChange = now;
    if (this.#groups < BUSY_GROUPS || this.#parts.log.isMade || this.#isClosed) return;
    this.#making ??= this.#makeLog().finally(() => {
      this.#making = undefined;
    });
  }

  /** Without a log the store works too, with more flushes. */
  async #makeLog(): Promise<void> {
    if (await this.#parts.log.make()) this.#removeAfter(REST_MS);
    else this.#groups = -LATER_GROUPS;
  }

  #removeAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#resting = setTimeout(() => void this.#removeAtRest(), ms).unref();
  }

  async #removeAtRest(): Promise<void> {
    const { behind, log } = this.#parts;
    const idle = performance.now() - this.#lastGroup;
    if (idle < REST_MS) return this.#removeAfter(REST_MS - idle);
    await this.#takeIn();
    if (this.#running === undefined && behind.isEmpty) log.remove();
    else this.#removeAfter(REST_MS);
  }
}

function bytesOf(writes: readonly RecordWrite[]): number {
  return writes.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
}
