import type { DocPath } from "../../mirror/path.ts";

/**
 * Knows the paths at which documents come into memory, leave it or get another path. Several such works may be under way
 * at one path; each ends for itself.
 */
export class BusyPaths {
  readonly #works = new Map<DocPath, Set<Promise<unknown>>>();

  has(path: DocPath): boolean {
    return this.#works.has(path);
  }

  /** Resolves once a work at the path has ended, though others may still be under way; undefined where none is. */
  ended(path: DocPath): Promise<unknown> | undefined {
    const [work] = this.#works.get(path) ?? [];
    return work;
  }

  /** Resolves once no work is under way at the path. */
  async settled(path: DocPath): Promise<void> {
    while (this.#works.has(path)) await this.ended(path);
  }

  /** Waits for work; its paths are busy meanwhile. */
  async during<T>(paths: readonly DocPath[], working: Promise<T>): Promise<T> {
    const done = working.catch(() => undefined); // its own caller gets the error
    for (const path of paths) this.#works.set(path, (this.#works.get(path) ?? new Set()).add(done));
    try {
      return await working;
    } finally {
      for (const path of paths) {
        const works = this.#works.get(path);
        if (works?.delete(done) && works.size === 0) this.#works.delete(path);
      }
    }
  }
}
