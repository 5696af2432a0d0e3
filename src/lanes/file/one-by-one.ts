/** Runs work one after the other. */
export class OneByOne {
  readonly #failed: (error: unknown) => void;
  readonly #free: () => void;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** `failed` is called with an error of the work, `free` when no work is left. */
  constructor(failed: (error: unknown) => void, free: () => void) {
    this.#failed = failed;
    this.#free = free;
  }

  /** The amount of work that has not ended. */
  get waiting(): number {
    return this.#waiting;
  }

  run(work: () => Promise<void>): Promise<void> {
    this.#waiting++;
    this.#last = this.#last
      .then(work)
      .catch(this.#failed)
      .finally(() => {
        this.#waiting--;
        if (this.#waiting === 0) this.#free();
      });
    return this.#last;
  }

  /** Does the same, for a caller who receives the result or the error. */
  ask<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.run(() => work().then(resolve, reject));
    });
  }

  /** Resolves once the work so far has ended. */
  settled(): Promise<void> {
    return this.#last;
  }
}
