/**
 * Hands out turns of the event loop, one to each who asks, in the order of asking, so that others are served
 * between pieces of work of which thousands may come up at once (I14).
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** Resolves when it is the caller's turn: at once, unless this turn of the loop is somebody's already. */
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
