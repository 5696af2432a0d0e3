import type { StoreError } from "../store.ts";

/** A write that takes longer has failed; milliseconds. */
const LATE_MS = 30_000;
/** After a stopped process continues, its timer fires first and the write resolves a moment later; milliseconds. */
const GRACE_MS = 2_000;

/**
 * Owns the writes under way. When one fails, lmdb may never settle the writes of the same transaction. At a certain
 * moment of the failure, lmdb 3.5.6 keeps its lock and settles no write at all.
 */
export class PendingWrites {
  readonly #waiting = new Set<(error: StoreError) => void>();

  /** Settles as the write does; rejects with the error of `endAll` if that comes first, or of `late` after LATE_MS. */
  async follow<T>(write: Promise<T>, late: () => StoreError): Promise<T> {
    let end = (_error: StoreError) => {};
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    let timer = setTimeout(() => {
      timer = setTimeout(() => end(late()), GRACE_MS);
    }, LATE_MS);
    this.#waiting.add(end);
    try {
      return await Promise.race([write, ended]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(end);
    }
  }

  endAll(error: StoreError): void {
    for (const end of this.#waiting) end(error);
  }
}
