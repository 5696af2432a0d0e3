import type { Clock } from "../../mirror/clock.ts";

/** The longest wait; milliseconds. */
const MOST_MS = 30_000;

/**
 * Lets the end of a tool wait until the daemon has taken in what the tool did to files. Those that wait share a look at
 * all files.
 */
export class TakenIn {
  readonly #clock: Clock;
  readonly #lookAtAll: () => Promise<void>;
  #looking: Promise<unknown> = Promise.resolve();
  /** The look that begins after the one under way. */
  #next: Promise<unknown> | undefined;

  constructor(clock: Clock, lookAtAll: () => Promise<void>) {
    this.#clock = clock;
    this.#lookAtAll = lookAtAll;
  }

  /** Resolves once a look that began after the call has ended, or after a while. */
  async wait(): Promise<void> {
    this.#next ??= this.#looking.then(() => this.#look());
    const enough = new AbortController();
    await Promise.race([this.#next, this.#clock.sleep(MOST_MS, enough.signal)]);
    enough.abort();
  }

  #look(): Promise<unknown> {
    this.#next = undefined;
    this.#looking = this.#lookAtAll().catch(() => undefined); // the daemon looks again by itself
    return this.#looking;
  }
}
