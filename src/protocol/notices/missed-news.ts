/** The documents and threads whose notifications a lagging client was not sent. */
export class MissedNews {
  readonly #paths = new Set<string>();
  readonly #threads = new Set<string>();

  get isEmpty(): boolean {
    return this.#paths.size === 0 && this.#threads.size === 0;
  }

  addPath(path: string): void {
    this.#paths.add(path);
  }

  addThread(id: string): void {
    this.#threads.add(id);
  }

  /** Returns the parameters of the `resync` that names all of them, and forgets them. */
  take(): { readonly paths: string[]; readonly threads?: string[] } {
    const [paths, threads] = [[...this.#paths], [...this.#threads]];
    this.#paths.clear();
    this.#threads.clear();
    return { paths, ...(threads.length > 0 && { threads }) };
  }
}
