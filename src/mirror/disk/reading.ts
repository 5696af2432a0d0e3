import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { type FileProblem, type FileReading, isFileProblem, sameImage } from "../files.ts";
import { readWhole } from "./io.ts";
import { imageOf, problemOf } from "./stat.ts";

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Leaves the access time as it is, which shows whether another process has read the file; 0 where unsupported. */
const UNNOTICED = constants.O_NOATIME ?? 0;

/** Opens a file for reading, without following a link or waiting for a writer. @throws the system's error */
export function openToRead(file: string): number {
  try {
    return openSync(file, READ | UNNOTICED);
  } catch (error) {
    // Only a file's owner may read it unnoticed.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    return openSync(file, READ);
  }
}

/** Reads a whole open file and closes it. Returns `changed` when another process wrote to it meanwhile (I5). */
export async function readSteadily(
  fd: number,
  path: string,
  maxBytes: number,
): Promise<FileReading | FileProblem> {
  try {
    const before = imageOf(fstatSync(fd, { bigint: true }), path);
    if (isFileProblem(before)) return before;
    if (before.size > maxBytes)
      return { kind: "too_large", message: `${path} has ${before.size} bytes; the limit is ${maxBytes}` };
    const bytes = await readWhole(fd, before.size);
    const after = imageOf(fstatSync(fd, { bigint: true }), path);
    if (isFileProblem(after)) return after;
    if (!sameImage(before, after) || bytes.length !== after.size)
      return { kind: "changed", message: `${path} was written to while it was read` };
    return { image: after, bytes };
  } catch (error) {
    return problemOf(error, path);
  } finally {
    closeSync(fd);
  }
}
