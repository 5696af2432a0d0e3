import type { DocPath } from "../../mirror/path.ts";

/** Finds paths by other keys of their files, and forgets the keys that a file no longer has. */
export class PathIndex {
  readonly #pathOf = new Map<string, DocPath>();
  readonly #keysOf = new Map<DocPath, readonly string[]>();

  /** The number of keys that it remembers. */
  get size(): number {
    return this.#pathOf.size;
  }

  /** Returns the path whose file got a key last. */
  pathOf(key: string): DocPath | undefined {
    return this.#pathOf.get(key);
  }

  /** Notes the keys that the file at a path has now. */
  note(path: DocPath, keys: readonly string[]): void {
    const before = this.#keysOf.get(path) ?? [];
    for (const key of before)
      if (!keys.includes(key) && this.#pathOf.get(key) === path) this.#pathOf.delete(key);
    for (const key of keys) if (!before.includes(key)) this.#pathOf.set(key, path);
    if (keys.length === 0) this.#keysOf.delete(path);
    else this.#keysOf.set(path, keys);
  }
}
