import { type BigIntStats, fchmodSync, fchownSync, fstatSync, futimesSync, lstatSync } from "node:fs";
import { type FileProblem, type Image, sameContentStamp } from "../files.ts";

const PERMISSIONS = 0o7777;
const NS_PER_MS = 1_000_000n;
const NS_PER_US = 1_000n;

/** Returns the image of a regular file, or the reason why any other file is no document (I12). */
export function imageOf(stats: BigIntStats, path: string): Image | FileProblem {
  if (stats.isSymbolicLink()) return { kind: "escape", message: `${path} is a link` };
  if (!stats.isFile()) {
    const what = stats.isDirectory() ? "a folder" : "not a regular file";
    return { kind: "not_file", message: `${path} is ${what}` };
  }
  return regular(stats);
}

/**
 * Returns the image of a staged file that was just put in place. When another process wrote to it since, or removed
 * it, returns the staged image, so that the next look finds the difference.
 */
export function imagePlaced(staged: Image, at: string): Image {
  const now = lstatSync(at, { bigint: true, throwIfNoEntry: false });
  if (now === undefined) return staged;
  const image = regular(now);
  return sameContentStamp(staged, image) ? image : staged;
}

/**
 * Sets the times of a file that was just written.
 *
 * - It gets another modification time than `before` has. For many editors a file of the same size and time in
 *   milliseconds is unchanged. The system's clock for files is no finer.
 * - Its access time is the full second before, which no reading leaves. The first reading moves it, unless the mount
 *   prevents that.
 */
export function stampWritten(fd: number, before: Image | undefined): void {
  const { mtimeNs } = fstatSync(fd, { bigint: true });
  const taken = before && before.mtimeNs / NS_PER_MS;
  const isTaken = mtimeNs / NS_PER_MS === taken;
  // Half a microsecond more, because the system rounds a floating-point number down.
  const seconds = isTaken ? (Number(taken) + 1.5) / 1e3 : (Number(mtimeNs / NS_PER_US) + 0.5) / 1e6;
  futimesSync(fd, Math.floor(seconds) - 1, seconds);
}

/** Returns the bytes that a folder's list of names takes on its file system; 0 for one that is not there. */
export function folderBytes(folder: string): number {
  return lstatSync(folder, { throwIfNoEntry: false })?.size ?? 0;
}

/** Gives a new version the mode and owner of the file that it replaces (I11). */
export function dress(fd: number, like: Image): void {
  const stats = fstatSync(fd);
  if (stats.uid !== like.uid || stats.gid !== like.gid) fchownSync(fd, like.uid, like.gid);
  fchmodSync(fd, like.mode);
}

export function changed(path: string): FileProblem {
  return { kind: "changed", message: `another program saved ${path} meanwhile` };
}

/** Returns a file system error as data; its message names the caller's path, not the system's. */
export function problemOf(error: unknown, path: string): FileProblem {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const kind = KINDS[code] ?? "io";
  const reason = MESSAGES[kind] ?? (error instanceof Error ? error.message : String(error));
  // Several codes mean the same here, except for the one of a file in the way.
  const name = code === "" || kind === "exists" ? "" : ` (${code})`;
  return { kind, message: `${path}: ${reason}${name}` };
}

const KINDS: Record<string, FileProblem["kind"]> = {
  ENOENT: "missing",
  ENOTDIR: "missing",
  EISDIR: "not_file",
  ENXIO: "not_file",
  ELOOP: "escape",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  EXDEV: "denied",
  EBUSY: "denied",
  ENOSPC: "full",
  EDQUOT: "full",
  EEXIST: "exists",
};

const MESSAGES: Partial<Record<FileProblem["kind"], string>> = {
  missing: "no such file",
  not_file: "not a regular file",
  escape: "a link is in the way",
  denied: "the system does not allow it",
  full: "no space left",
  exists: "already there",
};

/** Returns the image of a regular file. */
export function regular(stats: BigIntStats): Image {
  return {
    dev: stats.dev,
    ino: stats.ino,
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    mode: Number(stats.mode) & PERMISSIONS,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    links: Number(stats.nlink),
    birthNs: stats.birthtimeNs,
  };
}
