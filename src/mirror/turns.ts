/**
 * Gives each caller a turn of the event loop of its own. Thousands of callers may come at once; between two of them the
 * daemon serves others (I14). Work for which a caller waits has at least every second turn, in the order of the calls.
 */
export class Turns {
  readonly #awaited = new Lane();
  readonly #background = new Lane();
  #taken = false;
  /** The lane that has the next turn if both wait. */
  #first = this.#awaited;

  /** Resolves in the caller's turn: at once, unless another caller has the present one. */
  next(): Promise<void> {
    return this.#in(this.#awaited);
  }

  /** Does the same for work in the background. */
  inBackground(): Promise<void> {
    return this.#in(this.#background);
  }

  #in(lane: Lane): Promise<void> {
    if (this.#taken) return new Promise((resolve) => lane.add(resolve));
    this.#take();
    return Promise.resolve();
  }

  #take(): void {
    this.#taken = true;
    setImmediate(() => {
      this.#taken = false;
      const lane = this.#first.isEmpty ? this.#besides(this.#first) : this.#first;
      if (lane.isEmpty) return;
      this.#first = this.#besides(lane);
      this.#take();
      lane.next()();
    });
  }

  #besides(lane: Lane): Lane {
    return lane === this.#awaited ? this.#background : this.#awaited;
  }
}

/** Callers in their order. An array's `shift` takes time in proportion to its length. */
class Lane {
  #callers: (() => void)[] = [];
  #gone = 0;

  get isEmpty(): boolean {
    return this.#gone === this.#callers.length;
  }

  add(caller: () => void): void {
    this.#callers.push(caller);
  }

  /** Removes the first caller and returns it. */
  next(): () => void {
    const caller = this.#callers[this.#gone++]!;
    if (this.#gone > this.#callers.length / 2) {
      this.#callers = this.#callers.slice(this.#gone);
      this.#gone = 0;
    }
    return caller;
  }
}
