import { StoreError } from "../store.ts";
import { IN_A_WRITE, lmdbReasonOf } from "./errors.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { StoreHealth } from "./store-health.ts";

/** Owns the outcome of each write to the disk: done, or refused with the reason. */
export class Attempts {
  readonly #health: StoreHealth;
  readonly #pending = new PendingWrites();

  constructor(health: StoreHealth) {
    this.#health = health;
  }

  /** Settles as the write does, or rejects when the disk does not answer. @throws StoreError */
  async settle<T>(write: Promise<T>): Promise<T> {
    try {
      const late = () => this.#refused("failed", "the disk does not answer");
      write.catch(lmdbReasonOf); // handles the rejection also when it comes after `late`
      return await this.#pending.follow(write, late);
    } catch (error) {
      if (error instanceof StoreError) throw error; // the failure of another write ended this one
      throw await this.#judge(error);
    }
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
