import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { StateError, thisUser } from "./trust.ts";

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** The largest file, in bytes, that is read whole. */
const MAX_BYTES = 16 << 20;
const OTHERS = 0o077;

export type EntryKind = "file" | "folder";

/** The system's errors when a link, or no folder, is where a folder should be opened without following links. */
const NOT_A_FOLDER = new Set(["ELOOP", "ENOTDIR", "EMLINK", "EFTYPE", "ENXIO"]);

/**
 * Opens a file or folder of this user without following a link, and removes access for others from its mode. Undefined
 * when there is none. @throws StateError when the entry is a link, of another kind or of another user
 */
function openOwn(path: string, kind: EntryKind): number | undefined {
  const fd = opened(path, kind);
  if (fd === undefined) return undefined;
  try {
    const stats = fstatSync(fd);
    check(path, kind, stats);
    if ((stats.mode & OTHERS) !== 0) fchmodSync(fd, kind === "folder" ? 0o700 : 0o600);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/**
 * Checks that a path is free or a file or folder of this user, and removes access for others from its mode. @throws
 * StateError
 */
export function checkOwn(path: string, kind: EntryKind): void {
  const fd = openOwn(path, kind);
  if (fd !== undefined) closeSync(fd);
}

/** Creates a private folder, or checks the one that exists. @throws StateError */
export function makeOwnFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  checkOwn(path, "folder");
}

/** Returns the text of a file of this user; undefined when there is none. @throws StateError */
export function readOwn(path: string): string | undefined {
  const fd = openOwn(path, "file");
  if (fd === undefined) return undefined;
  try {
    const { size } = fstatSync(fd);
    if (size > MAX_BYTES)
      throw new StateError(`${path} has ${size} bytes, more than the limit of ${MAX_BYTES}. Remove it`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

/** Creates a file that only this user can read, and opens it for writing. @throws EEXIST when the path exists */
export function createOwn(path: string): number {
  return openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

/** Opens a file of this user for reading and writing, and creates it if there is none. @throws StateError */
export function openOrCreateOwn(path: string): number {
  checkOwn(path, "file");
  const fd = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    check(path, "file", fstatSync(fd));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Removes a file of this user, if there is one. @throws StateError */
export function removeOwn(path: string): void {
  checkOwn(path, "file");
  rmSync(path, { force: true });
}

/**
 * Writes a whole file in one step. An existing file or link at the path is replaced and not written to. `flushed`: the
 * file outlasts a power cut.
 */
export function writeOwn(
  path: string,
  text: string,
  { flushed = false }: { readonly flushed?: boolean } = {},
): void {
  const aside = `${path}.${process.pid}`;
  rmSync(aside, { force: true });
  try {
    const fd = createOwn(aside);
    try {
      writeFileSync(fd, text);
      if (flushed) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  if (flushed) flushNames(dirname(path));
}

/** Makes the names in a folder outlast a power cut, where the file system can. */
export function flushNames(folder: string): void {
  const fd = openSync(folder, O_RDONLY | O_DIRECTORY);
  try {
    fsyncSync(fd);
  } catch {
    // Some file systems flush no folders.
  } finally {
    closeSync(fd);
  }
}

function opened(path: string, kind: EntryKind): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (kind === "folder" ? O_DIRECTORY : 0));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && (NOT_A_FOLDER.has(code) || code === "EACCES")) check(path, kind, stats);
    throw error;
  }
}

/** Checks that the entry at a path is of a kind, and not a link to one. @throws StateError */
export function checkKind(path: string, kind: EntryKind, stats: Stats): void {
  if (kind === "folder" ? stats.isDirectory() : stats.isFile()) return;
  const found = nameOf(stats);
  throw new StateError(
    `${path} is a ${found}, but spliced needs a ${kind} of its own there. Remove the ${found} and try again; ` +
      "if it came with a download, remove all of .spliced",
  );
}

function check(path: string, kind: EntryKind, stats: Stats): void {
  checkKind(path, kind, stats);
  if (stats.uid !== thisUser())
    throw new StateError(
      `${path} belongs to user ${stats.uid}, but you are user ${thisUser()}. ` +
        `Run spliced as user ${stats.uid}, or remove the ${kind} and try again`,
    );
}

function nameOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  if (stats.isFIFO()) return "FIFO";
  return stats.isSocket() ? "socket" : "device";
}
