import { constants, fdatasync, statfsSync, write } from "node:fs";
import { promisify } from "node:util";

/** The functions of the system that the front log needs beside files. */
export interface LogDisk {
  /** The flags with which to open a file for `write`. */
  readonly flags: number;
  /** Writes bytes to a place in a file. Resolves when they are durable. Rejects with the system's error. */
  write(fd: number, bytes: Buffer, at: number): Promise<void>;
  /** Returns the free bytes of a folder's file system. */
  free(folder: string): number;
}

const writeAt = promisify(write);
const flush = promisify(fdatasync);
/** Elsewhere such a write may end before the disk's own cache is flushed. */
const WRITE_FLUSHES = process.platform === "linux";

export const systemDisk: LogDisk = {
  flags: WRITE_FLUSHES ? constants.O_DSYNC : 0,

  async write(fd, bytes, at) {
    for (let done = 0; done < bytes.length; )
      done += (await writeAt(fd, bytes, done, bytes.length - done, at + done)).bytesWritten;
    if (!WRITE_FLUSHES) await flush(fd);
  },

  free(folder) {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  },
};
