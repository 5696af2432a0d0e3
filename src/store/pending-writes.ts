import type { StoreError } from "./store.ts";

/** A write that takes longer is not believed in any more; milliseconds. */
const LATE_MS = 30_000;
/** A process that was stopped hears of its clock first, and of the write a moment later. */
const GRACE_MS = 2_000;

/**
 * Writes that the database has not answered. When one fails it may never answer others that came with it, or,
 * when writing fails at the wrong moment, none at all (lmdb 3.5.6 returns with its lock held).
 */
export class PendingWrites {
  readonly #waiting = new Set<(error: StoreError) => void>();

  /** Answers as the write does, with `endAll`'s error if that comes first, or with `late`'s when it takes too long. */
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
