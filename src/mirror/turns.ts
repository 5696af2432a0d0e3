/**
 * Gives each caller a turn of the event loop of its own, in the order of their calls. Thousands of callers may come at
 * once; between two of them the daemon serves others (I14).
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** Resolves in the caller's turn: at once, unless another caller has the present one. */
  next(): Promise<void> {
    if (this.#taken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#take();
    return Promise.resolve();
  }

  #take(): void {
    this.#taken = true;
    setImmediate(() => {
      this.#taken = false;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#take();
      next();
    });
  }
}
