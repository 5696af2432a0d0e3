import { matcher } from "./glob.ts";

/** Globs by the cheapest way to match them. A listing tests each file, so most globs need no automaton. */
interface GlobSet {
  /** The last name of a path: that of a glob like `src` in any folder. */
  readonly names: ReadonlySet<string>;
  /** Any name of a path: that of a glob for all in such a folder. */
  readonly folders: ReadonlySet<string>;
  /** The end of the last name, such as `.pem`. */
  readonly ends: readonly string[];
  /** The last names of a path, such as `/.docker/config.json`. */
  readonly tails: readonly string[];
  readonly others: readonly ((path: string) => boolean)[];
}

const PLAIN = "[^/*?[\\]{}()!+@\\\\]+";
const NAME = new RegExp(`^\\*\\*/(${PLAIN})(/\\*\\*)?$`);
const END = new RegExp(`^\\*\\*/\\*(\\.${PLAIN})$`);
const TAIL = new RegExp(`^\\*\\*(/${PLAIN}(?:/${PLAIN})+)$`);

function globSet(globs: readonly string[]): GlobSet {
  const names = new Set<string>();
  const folders = new Set<string>();
  const ends: string[] = [];
  const tails: string[] = [];
  const others: ((path: string) => boolean)[] = [];
  for (const glob of globs) {
    const [, name, inside] = NAME.exec(glob) ?? [];
    const [, end] = END.exec(glob) ?? [];
    const [, tail] = TAIL.exec(glob) ?? [];
    if (name !== undefined) (inside === undefined ? names : folders).add(name);
    else if (end !== undefined) ends.push(end);
    else if (tail !== undefined) tails.push(tail);
    else others.push(matcher(glob));
  }
  return { names, folders, ends, tails, others };
}

/** Returns a test for any of some globs. */
export function anyGlob(globs: readonly string[]): (path: string) => boolean {
  const { names, folders, ends, tails, others } = globSet(globs);
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return (
      names.has(name) ||
      ends.some((end) => name.endsWith(end)) ||
      (folders.size > 0 && path.split("/").some((part) => folders.has(part))) ||
      (tails.length > 0 && endsWithAny(`/${path}`, tails)) ||
      others.some((match) => match(path))
    );
  };
}

function endsWithAny(path: string, tails: readonly string[]): boolean {
  return tails.some((tail) => path.endsWith(tail));
}

/** Returns a test as `anyGlob` does that also accepts everything in a folder that a glob matches. */
export function anyGlobOrInside(globs: readonly string[]): (path: string) => boolean {
  const any = anyGlob(globs);
  const folders = new Map<string, boolean>();
  /** Neighbours in a listing share their folders, so the answers about the last ones are remembered. */
  const anyFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const above = folder.lastIndexOf("/");
    const found = any(folder) || (above >= 0 && anyFolder(folder.slice(0, above)));
    if (folders.size >= MOST_FOLDERS) folders.clear();
    folders.set(folder, found);
    return found;
  };
  return (path) => {
    const slash = path.lastIndexOf("/");
    return any(path) || (slash >= 0 && anyFolder(path.slice(0, slash)));
  };
}

/** The most folders whose answers are remembered. */
const MOST_FOLDERS = 1_000;
