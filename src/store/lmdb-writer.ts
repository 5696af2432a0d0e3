import { join } from "node:path";
import { IN_A_WRITE, ignoreUnhandledCommits, lmdbReasonOf } from "./lmdb-errors.ts";
import { PendingWrites } from "./pending-writes.ts";
import { StoreError, type StoreTrouble } from "./store.ts";
import { StoreHealth } from "./store-health.ts";

/** Writes of records that belong to one transaction. */
export type Writes = Promise<boolean>[];

/** Owns the outcome of each write to a database: durable, or refused with the reason. */
export class LmdbWriter {
  readonly #health: StoreHealth;
  readonly #pending = new PendingWrites();
  readonly #stopIgnoring = ignoreUnhandledCommits();
  /** Resolves when the meaning of the latest failed write is known. */
  #judged: Promise<unknown> = Promise.resolve();

  /** `probe` starts a small write. The writer calls it to find out whether refused writes work again. */
  constructor(folder: string, probe: () => Promise<boolean>) {
    this.#health = new StoreHealth(join(folder, "data.mdb"), () => this.write(() => [probe()]));
  }

  get trouble(): StoreTrouble | undefined {
    return this.#health.trouble;
  }

  /**
   * Starts a write of about `bytes` bytes. LMDB commits all writes of one turn of the event loop as one transaction,
   * and its promise resolves after commit and flush (I2). After a failed flush no later one is trusted: the system
   * drops the pages that it could not write, and then reports success without them. A `sparing` write is refused before
   * the disk is full.
   */
  async write(work: () => Writes, bytes = 0, options: { readonly sparing?: boolean } = {}): Promise<void> {
    this.#health.admit(bytes, options);
    try {
      const late = () => this.#refused("failed", "the disk does not answer");
      const written = Promise.all(work());
      written.catch(lmdbReasonOf); // handles the rejection also when the failure of another write ended this one
      await this.#pending.follow(written, late);
    } catch (error) {
      if (error instanceof StoreError) throw error; // the failure of another write ended this one
      const judged = this.#judge(error);
      this.#judged = judged;
      throw await judged;
    }
    await this.#judged;
    this.#health.worked();
  }

  /** Notes that a stored record is damaged, so that every later write is refused. */
  damaged(): StoreError {
    return this.#health.refused("failed", DAMAGE);
  }

  /** Refuses every later write. */
  stop(): void {
    this.#health.close();
  }

  /** Ends the handling of lmdb's rejections, after the database was closed. */
  close(): void {
    this.#stopIgnoring();
  }

  async #judge(error: unknown): Promise<StoreError> {
    const reason = await lmdbReasonOf(error);
    if (/ENOSPC|EDQUOT|No space|quota|MAP_FULL/i.test(reason)) return this.#refused("full", reason);
    if (reason.endsWith(IN_A_WRITE) && this.#health.hasNoRoom)
      return this.#refused("full", "no space left on the disk");
    return this.#refused("failed", `the disk refused a write to the store: ${reason}`);
  }

  #refused(kind: "full" | "failed", reason: string): StoreError {
    const refusal = this.#health.refused(kind, reason);
    if (kind === "failed") this.#pending.endAll(refusal);
    return refusal;
  }
}

const DAMAGE =
  "the store is damaged; the next start sets it aside and makes a new one from the files of the workspace";
