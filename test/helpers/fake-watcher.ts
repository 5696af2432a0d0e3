import type { OnHint, Watcher } from "../../src/mirror/disk/watcher.ts";

/**
 * A watcher whose hints wait until a test delivers them. `copies` returns the number of hints for one change: usually
 * one.
 */
export class FakeWatcher implements Watcher {
  readonly trouble = undefined;
  readonly #onHint: OnHint;
  readonly #copies: (path: string) => number;
  readonly #folders = new Set<string>();
  #waiting: string[] = [];

  constructor(onHint: OnHint, copies: (path: string) => number = () => 1) {
    this.#onHint = onHint;
    this.#copies = copies;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  watch(folder: string): void {
    this.#folders.add(folder);
  }

  unwatch(folder: string): void {
    for (const watched of [...this.#folders])
      if (watched === folder || watched.startsWith(`${folder}/`)) this.#folders.delete(watched);
  }

  /** Delivers the hints that wait. */
  async drained(): Promise<boolean> {
    while (this.#waiting.length > 0) this.deliver();
    return false;
  }

  close(): Promise<void> {
    this.#folders.clear();
    this.#waiting = [];
    return Promise.resolve();
  }

  /** Notes a change at an absolute path. */
  changed(path: string): void {
    if (!this.#folders.has(path.slice(0, path.lastIndexOf("/")))) return;
    for (let left = this.#copies(path); left > 0; left--) this.#waiting.push(path);
  }

  /** Delivers the hint at a place in the queue, the first one by default. */
  deliver(index = 0): void {
    const [path] = this.#waiting.splice(index, 1);
    if (path !== undefined) this.#onHint(path);
  }
}
