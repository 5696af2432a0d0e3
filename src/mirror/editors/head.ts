import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";

/** The bytes at the start of an editor's file that name the version that it has loaded. */
const HEAD_BYTES = 4096;

/** Returns the first bytes of a file; undefined for one that is missing or cannot be read. */
export function headOf(file: string): Buffer | undefined {
  try {
    // Most files have no editor, and an error takes ten times as long as this look.
    return lstatSync(file, { throwIfNoEntry: false }) && readHead(file);
  } catch {
    return undefined; // the editor removed it just now
  }
}

function readHead(file: string): Buffer {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(fd, head));
  } finally {
    closeSync(fd);
  }
}
