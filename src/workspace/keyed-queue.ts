/** Runs the work of callers with a common key one after the other, in the order of their calls. */
export class KeyedQueue<K> {
  readonly #last = new Map<K, Promise<unknown>>();

  /** Does the work once all earlier work for any of these keys has ended. */
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

  /** Does the same as `run` for work that may end without a wait; returns undefined if it did. */
  runNow(key: K, work: () => Promise<void> | undefined): Promise<void> | undefined {
    if (this.#last.has(key)) return this.run([key], async () => work());
    const running = work();
    return running && this.run([key], () => running);
  }
}
