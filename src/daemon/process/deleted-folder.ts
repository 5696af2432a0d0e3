import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { type Clock, systemClock } from "../../mirror/clock.ts";

/** The time between two looks at a folder; milliseconds. */
const LOOK_MS = 2_000;
/** A folder in which no name has come or gone for so long is not about to be deleted with all that is in it. */
const QUIET_MS = 10_000;

/**
 * Resolves once a folder was deleted, or `signal` aborts. A folder that was moved still has a name, and one on a disk that
 * was unmounted comes back; a deleted one has no name left, and never comes back.
 */
export async function deleted(folder: string, clock: Clock, signal: AbortSignal): Promise<void> {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  while (!signal.aborted && fstatSync(fd).nlink > 0) await clock.sleep(LOOK_MS, signal);
  closeSync(fd);
}

/**
 * Resolves with true once a folder in which something was deleted has been quiet for a while: `git clean` has ended there.
 * Resolves with false once it is gone, too, or `signal` aborts.
 */
export async function outlasts(
  folder: string,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<boolean> {
  while (!signal.aborted) {
    const there = lstatSync(folder, { throwIfNoEntry: false });
    if (there === undefined) return false;
    const left = there.ctimeMs + QUIET_MS - clock.now();
    if (left <= 0 || left > 2 * QUIET_MS) return true; // a time in the future says nothing
    await clock.sleep(Math.min(left, LOOK_MS), signal);
  }
  return false;
}
