import { closeSync, constants, openSync, readSync } from "node:fs";

/** The bytes at the start of an editor's file that name the version that it has loaded. */
const HEAD_BYTES = 4096;

/** Returns the first bytes of a file. @throws the system's error */
export function headOf(file: string): Buffer {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(fd, head));
  } finally {
    closeSync(fd);
  }
}
