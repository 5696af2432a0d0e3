import { opendirSync } from "node:fs";
import { type Pause, pauses } from "../../work/pause.ts";
import {
  type FileProblem,
  FolderError,
  type FolderList,
  isFileProblem,
  type Listed,
  type Skip,
} from "../files.ts";
import { type DocPath, pathInside } from "../path.ts";
import type { Beneath } from "./beneath.ts";
import { type LookInside, looksInside } from "./folder-files.ts";
import { sorted } from "./sorted.ts";

/** The number of names to read and sort at once. */
const READ_AT_ONCE = 1024;
/** The number of files to look at before the first of them is yielded. */
const LOOK_AT_ONCE = 256;

const lookInside = looksInside();

/** A folder to enter, or a file and its stamp. */
type Entry = { readonly folder: DocPath } | Listed;

/** A name in a folder, and the kind that it had as the folder was read. */
interface Named {
  readonly path: DocPath;
  readonly name: string;
  readonly isFolder: boolean;
}

/** The names of a folder's files and folders in their order, and which of them are folders. */
interface Names {
  readonly names: readonly string[];
  readonly folders: ReadonlySet<string>;
}

interface Listing {
  readonly folder: string;
  readonly skip: Skip;
  readonly pause: Pause;
}

/**
 * Yields the regular files beneath a folder, in name order within each folder. The walk leaves out links (it finds
 * targets in the workspace by themselves) and names that no document can have. It skips files that vanish meanwhile or
 * cannot be read. It opens each folder anew from the root, so that it has one descriptor open at a time. It asks `skip`
 * about some names at a time, and looks at the files that it does not skip. The first files of a large folder therefore
 * come soon. @throws FolderError
 */
export async function* walkFiles(
  beneath: Beneath,
  skip: Skip,
  folder = "",
  pause = pauses(),
): AsyncGenerator<Listed> {
  const names = await beneath.inFolder(folder, (at) => namesOf(at, pause));
  if (isFileProblem(names)) return throwIfIo(names);
  for await (const some of wantedNames(names, { folder, skip, pause }, LOOK_AT_ONCE)) {
    const entries = await beneath.inFolder(folder, (at, fd) => entriesOf(lookInside(at, fd), some, pause));
    if (isFileProblem(entries)) return throwIfIo(entries);
    for (const entry of entries) {
      if ("folder" in entry) yield* walkFiles(beneath, skip, entry.folder, pause);
      else yield entry;
    }
  }
}

function throwIfIo(problem: FileProblem): void {
  if (problem.kind === "io") throw new FolderError(problem);
}

/** Lists one folder, as `Files.list` does. */
export async function listFolder(
  beneath: Beneath,
  folder: string,
  skip: Skip,
): Promise<FolderList | FileProblem> {
  const pause = pauses();
  const folders: DocPath[] = [];
  const files: Listed[] = [];
  const problem = await beneath.inFolder(folder, async (at, fd) => {
    const look = lookInside(at, fd);
    for await (const some of wantedNames(await namesOf(at, pause), { folder, skip, pause }, LOOK_AT_ONCE))
      for (const entry of await entriesOf(look, some, pause))
        "folder" in entry ? folders.push(entry.folder) : files.push(entry);
    return undefined;
  });
  return problem ?? { folders, files };
}

/** Returns the names in the folder `at`. */
async function namesOf(at: string, pause: Pause): Promise<Names> {
  const runs: string[][] = [];
  const folders = new Set<string>();
  for (const names of namesIn(at, folders)) {
    runs.push(names.sort());
    await pause();
  }
  const names: string[] = [];
  for (const name of sorted(runs)) {
    const rest = pause();
    if (rest !== undefined) await rest;
    names.push(name);
  }
  return { names, folders };
}

/** Yields the names that are not skipped, `most` at a time. */
async function* wantedNames(
  { names, folders }: Names,
  { folder, skip, pause }: Listing,
  most: number,
): AsyncGenerator<readonly Named[]> {
  let some: Named[] = [];
  for (const name of names) {
    const rest = pause();
    if (rest !== undefined) await rest;
    const path = pathInside(folder, name);
    const isFolder = folders.has(name);
    if (path === undefined || skip(path, isFolder)) continue;
    if (some.push({ path, name, isFolder }) < most) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** Returns the entries of some names; a name that has become something else is none. */
async function entriesOf(look: LookInside, names: readonly Named[], pause: Pause): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { path, name, isFolder } of names) {
    const rest = pause();
    if (rest !== undefined) await rest;
    const found = look(name);
    if (found === "folder" && isFolder) entries.push({ folder: path });
    else if (typeof found === "object" && !isFolder) entries.push({ path, image: found });
  }
  return entries;
}

/** Yields the names of a folder's files and folders, READ_AT_ONCE at a time, and notes which are folders. */
function* namesIn(at: string, folders: Set<string>): Generator<string[]> {
  const opened = opendirSync(at, { bufferSize: READ_AT_ONCE });
  try {
    let names: string[] = [];
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      if (isFolder) folders.add(entry.name);
      if (names.push(entry.name) < READ_AT_ONCE) continue;
      yield names;
      names = [];
    }
    yield names;
  } finally {
    opened.closeSync();
  }
}
