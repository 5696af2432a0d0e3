import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";

/** The bytes at the start of an editor's file that name the version that it has loaded. */
const HEAD_BYTES = 4096;

/** Returns false for what is not there. Most editors are not, and an error for each would take ten times as long. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns the first bytes of a file; undefined for one that is not there, or that the system does not let us read. */
export function headOf(file: string): Buffer | undefined {
  if (!isThere(file)) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(fd, head));
  } catch {
    return undefined; // perhaps the editor removed it just now
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
