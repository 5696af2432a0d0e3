interface Waiter {
  readonly mark: number;
  readonly done: (reached: boolean) => void;
}

/** Owns the callers that wait until the file contains the content of a mark. */
export class Waiters {
  #waiting: Waiter[] = [];

  get none(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves with true when the file contains `mark`, with false when it cannot at present. */
  add(mark: number): Promise<boolean> {
    return new Promise((done) => {
      this.#waiting.push({ mark, done });
    });
  }

  /** Answers the callers that wait for `mark` or an earlier one: the file contains it. */
  reached(mark: number): void {
    this.#release((waiter) => waiter.mark <= mark, true);
  }

  /** Answers every caller at the end of a write; `holds` returns whether the file contains a mark. */
  settle(holds: (mark: number) => boolean): void {
    this.#release((waiter) => holds(waiter.mark), true);
    this.sendAway();
  }

  /** Answers every caller: the file cannot be written at present. */
  sendAway(): void {
    this.#release(() => true, false);
  }

  #release(which: (waiter: Waiter) => boolean, reached: boolean): void {
    const ready = this.#waiting.filter(which);
    if (ready.length === 0) return;
    this.#waiting = this.#waiting.filter((waiter) => !which(waiter));
    for (const waiter of ready) waiter.done(reached);
  }
}
