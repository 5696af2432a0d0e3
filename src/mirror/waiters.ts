interface Waiter {
  readonly mark: number;
  readonly done: (reached: boolean) => void;
}

/** Those who wait for the file to hold what it held at a mark. */
export class Waiters {
  #waiting: Waiter[] = [];

  get none(): boolean {
    return this.#waiting.length === 0;
  }

  /** True once `reached` passes the mark, false when everybody is sent away before. */
  add(mark: number): Promise<boolean> {
    return new Promise((done) => {
      this.#waiting.push({ mark, done });
    });
  }

  /** The file holds everything up to `mark`. */
  reached(mark: number): void {
    this.#release((waiter) => waiter.mark <= mark, true);
  }

  /** Nothing more is written for now: each is told whether the file holds what they wait for. */
  settle(holds: (mark: number) => boolean): void {
    this.#release((waiter) => holds(waiter.mark), true);
    this.sendAway();
  }

  /** The file cannot be written now. */
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
