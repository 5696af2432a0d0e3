/** Lets those who ask for the same keys through one after the other, in the order in which they asked. */
export class KeyedQueue<K> {
  readonly #last = new Map<K, Promise<unknown>>();

  /** Does the work once everybody is done who asked for one of these keys before. */
  run<T>(keys: readonly K[], work: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    const running = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    for (const key of keys) this.#last.set(key, running);
    const done = () => {
      for (const key of keys) if (this.#last.get(key) === running) this.#last.delete(key);
    };
    running.then(done, done);
    return running;
  }
}
