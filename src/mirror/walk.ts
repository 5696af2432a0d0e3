import { type BigIntStats, lstatSync, opendirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Beneath } from "./beneath.ts";
import { type FileProblem, type FolderList, isFileProblem, type Listed, type Skip } from "./files.ts";
import { type DocPath, isPathProblem, parsePath } from "./path.ts";
import { sorted } from "./sorted.ts";
import { regular } from "./stat.ts";

/** The number of names to read and sort at once. */
const READ_AT_ONCE = 1024;
/** The time after which a walk pauses, so that the daemon serves others (I14); milliseconds. */
const SLICE_MS = 4;

/** A folder to enter, or a file and its stamp. */
type Entry = { readonly folder: DocPath } | Listed;

interface Listing {
  readonly folder: string;
  readonly skip: Skip;
  readonly pause: () => Promise<void> | undefined;
}

/**
 * Yields the regular files beneath a folder, in name order within each folder. The walk leaves out links (it finds
 * targets in the workspace by themselves) and names that no document can have. It skips files that vanish meanwhile or
 * cannot be read. It opens each folder anew from the root, so that it has one descriptor open at a time.
 */
export async function* walkFiles(
  beneath: Beneath,
  skip: Skip,
  folder = "",
  pause = pauses(),
): AsyncGenerator<Listed> {
  const entries = await beneath.inFolder(folder, (at) => entriesOf(at, { folder, skip, pause }));
  if (isFileProblem(entries)) {
    if (entries.kind === "io") throw new Error(entries.message);
    return;
  }
  for (const entry of entries) {
    if ("folder" in entry) yield* walkFiles(beneath, skip, entry.folder, pause);
    else yield entry;
  }
}

/** Lists one folder, as `Files.list` does. */
export async function listFolder(
  beneath: Beneath,
  folder: string,
  skip: Skip,
): Promise<FolderList | FileProblem> {
  const options = { folder, skip, pause: pauses() };
  const entries = await beneath.inFolder(folder, (at) => entriesOf(at, options));
  if (isFileProblem(entries)) return entries;
  const folders: DocPath[] = [];
  const files: Listed[] = [];
  for (const entry of entries) "folder" in entry ? folders.push(entry.folder) : files.push(entry);
  return { folders, files };
}

/** Returns the entries of the folder `at` in name order, without the skipped ones. */
async function entriesOf(at: string, { folder, skip, pause }: Listing): Promise<Entry[]> {
  const runs: string[][] = [];
  for (const names of namesIn(at)) {
    runs.push(names.sort());
    await pause();
  }
  const entries: Entry[] = [];
  for (const name of sorted(runs)) {
    await pause();
    const path = parsePath(folder === "" ? name : `${folder}/${name}`);
    if (isPathProblem(path)) continue;
    const stats = look(`${at}/${name}`);
    if (stats === undefined || skip(path, stats.isDirectory())) continue;
    if (stats.isDirectory()) entries.push({ folder: path });
    else if (stats.isFile()) entries.push({ path, image: regular(stats) });
  }
  return entries;
}

/** Yields the names of a folder's files and folders, READ_AT_ONCE at a time. */
function* namesIn(at: string): Generator<string[]> {
  const opened = opendirSync(at, { bufferSize: READ_AT_ONCE });
  try {
    let names: string[] = [];
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (!entry.isFile() && !entry.isDirectory()) continue;
      if (names.push(entry.name) < READ_AT_ONCE) continue;
      yield names;
      names = [];
    }
    yield names;
  } finally {
    opened.closeSync();
  }
}

/** Looks at a file; undefined in a folder whose names may be listed but whose files may not be looked at. */
function look(file: string): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return undefined;
    throw error;
  }
}

/** Returns a function that waits for the next turn of the event loop once a slice is over. */
function pauses(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}
