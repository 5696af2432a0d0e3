import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type { Clock } from "../mirror/clock.ts";

/** The time between two looks at the folder; milliseconds. */
const LOOK_MS = 2_000;

/**
 * Resolves once a folder was deleted, or `signal` aborts. A folder that was moved still has a name, and one on a disk that
 * was unmounted comes back; a deleted one has no name left, and never comes back.
 */
export async function deleted(folder: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  while (!signal.aborted && fstatSync(fd).nlink > 0) await clock.sleep(LOOK_MS, signal);
  closeSync(fd);
}
