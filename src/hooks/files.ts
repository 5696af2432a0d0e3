import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";

/** The largest file that a hook reads, in bytes. */
const MOST_HASHED = 4 << 20;

/** Returns the path of a file in a workspace; undefined for a file outside. */
export function inside(root: string, file: string): string | undefined {
  const direct = relative(root, file);
  const path = isOutside(direct)
    ? relative(realpathSync(root), resolve(realOf(dirname(file)), nameOf(file)))
    : direct;
  return isOutside(path) ? undefined : path.split(sep).join("/");
}

function isOutside(path: string): boolean {
  return path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** Returns a folder's own path; the given path without a folder. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function nameOf(file: string): string {
  return relative(dirname(file), file);
}

/** Returns the hash of a file's bytes; undefined for a large file, and without a file. */
export function hashOf(file: string): string | undefined {
  const bytes = bytesOf(file);
  return bytes && createHash("sha256").update(bytes).digest("hex");
}

/** Returns the text of a file; undefined for a large file, and without a file. */
export function textOf(file: string): string | undefined {
  return bytesOf(file)?.toString("utf8");
}

function bytesOf(file: string): Buffer | undefined {
  try {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= MOST_HASHED ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  }
}
