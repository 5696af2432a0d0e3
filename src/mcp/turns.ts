/** Work on one thing, one piece after the other, in the order of asking. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(key, turn);
    const done = () => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    };
    turn.then(done, done);
    return turn;
  }
}
