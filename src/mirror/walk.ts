import { lstatSync, opendirSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Beneath } from "./beneath.ts";
import { isFileProblem, type Listed } from "./files.ts";
import { type DocPath, isPathProblem, parsePath } from "./path.ts";
import { sorted } from "./sorted.ts";

/** So many names are read at once, and sorted by themselves. */
const READ_AT_ONCE = 1024;
/** A walk pauses after this long, so that others are served; milliseconds (I14). */
const SLICE_MS = 4;

/** A folder to enter, or a file and its stamp. */
type Entry = { readonly folder: DocPath } | Listed;

interface Errand {
  readonly folder: string;
  readonly skip: (path: string) => boolean;
  readonly pause: () => Promise<void> | undefined;
}

/**
 * Regular files beneath a folder, each folder's own in name order. The walk leaves out links (their targets, when
 * inside, come by themselves) and names that no document can have. It passes over whatever vanishes meanwhile or
 * may not be read. Each folder is opened anew from the root, so that a walk holds one descriptor at a time.
 */
export async function* walkFiles(
  beneath: Beneath,
  skip: (path: string) => boolean,
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

/** What is in the folder that `at` names, in name order, but for what is skipped. */
async function entriesOf(at: string, { folder, skip, pause }: Errand): Promise<Entry[]> {
  const runs: string[][] = [];
  for (const names of namesIn(at)) {
    runs.push(names.sort());
    await pause();
  }
  const entries: Entry[] = [];
  for (const name of sorted(runs)) {
    await pause();
    const path = parsePath(folder === "" ? name : `${folder}/${name}`);
    if (isPathProblem(path) || skip(path)) continue;
    const stats = look(`${at}/${name}`);
    if (stats?.isDirectory()) entries.push({ folder: path });
    else if (stats?.isFile()) entries.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
  }
  return entries;
}

/** The names of a folder's files and folders, some at a time. */
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

/** Looks at a file in a folder that may be listed, though what is in it may not be looked at. */
function look(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return undefined;
    throw error;
  }
}

/** Resolves at once until a slice is over, then when others were served; the next slice begins there. */
function pauses(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}
