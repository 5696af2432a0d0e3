/** Work that is done one after the other where it has the same key. */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  async do<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = running.catch(() => undefined); // told to whoever asked for it
    this.#last.set(key, settled);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
