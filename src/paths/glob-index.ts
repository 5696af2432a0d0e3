import { matcher } from "./glob.ts";

/** The most paths whose globs are remembered. */
const MOST_KNOWN = 1_000;

/** The characters with which a glob is more than a path. */
const SPECIAL = /[*?[{\\]/;

interface Entry<Value> {
  readonly match: (path: string) => boolean;
  readonly values: Set<Value>;
}

/**
 * Values by globs. A path is matched only with globs in which no other folder is written out, and once while no glob comes
 * or goes. So a glob costs little for the paths that it does not match.
 */
export class GlobIndex<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  /** The entries by the folder that their glob begins with; `""` for a glob that begins with none. */
  readonly #byFolder = new Map<string, Set<Entry<Value>>>();
  /** The entries that match a path, where there are any or none. */
  readonly #known = new Map<string, readonly Entry<Value>[]>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  add(glob: string, value: Value): void {
    const known = this.#entries.get(glob);
    if (known !== undefined) {
      known.values.add(value);
      return;
    }
    const entry = { match: matcher(glob), values: new Set([value]) };
    this.#entries.set(glob, entry);
    const folder = folderOf(glob);
    this.#byFolder.set(folder, (this.#byFolder.get(folder) ?? new Set()).add(entry));
    this.#known.clear();
  }

  delete(glob: string, value: Value): void {
    const entry = this.#entries.get(glob);
    if (entry === undefined || !entry.values.delete(value) || entry.values.size > 0) return;
    this.#entries.delete(glob);
    const folder = folderOf(glob);
    const besides = this.#byFolder.get(folder);
    if (besides?.delete(entry) && besides.size === 0) this.#byFolder.delete(folder);
    this.#known.clear();
  }

  /** Yields the values whose globs match a path; a value with several of them comes several times. */
  *at(path: string): Iterable<Value> {
    for (const { values } of this.#entriesAt(path)) yield* values;
  }

  /** Returns true if one of a value's globs matches a path. */
  has(path: string, value: Value): boolean {
    return this.#entriesAt(path).some(({ values }) => values.has(value));
  }

  #entriesAt(path: string): readonly Entry<Value>[] {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found: Entry<Value>[] = [];
    for (const folder of foldersOf(path))
      for (const entry of this.#byFolder.get(folder) ?? []) if (entry.match(path)) found.push(entry);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(path, found);
    return found;
  }
}

/** Returns a folder that contains, or is, every match of a glob; `""` if the glob begins with no folder. */
function folderOf(glob: string): string {
  if (glob.startsWith("./")) return ""; // no path begins so, and the glob matches paths without it
  const special = glob.search(SPECIAL);
  if (special < 0) return glob;
  return glob.slice(0, Math.max(0, glob.lastIndexOf("/", special)));
}

/** Yields the folders of a path from the outermost, and the path itself, which `a/**` matches, too. */
function* foldersOf(path: string): Iterable<string> {
  yield "";
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) yield path.slice(0, end);
  if (path !== "") yield path;
}
