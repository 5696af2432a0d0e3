import type { Clock } from "../../mirror/clock.ts";

/** A part of a millisecond that a number of milliseconds since the epoch still holds exactly. */
const STEP_MS = 1 / 1024;

/**
 * Returns a function that gives changes their times, in milliseconds since the epoch. Changes of one millisecond get
 * parts of it, so that the newest change of several documents is known. A clock that is set back is followed.
 */
export function changeTimes(clock: Pick<Clock, "now">): () => number {
  let last = 0;
  return () => {
    const now = clock.now();
    last = Math.floor(last) === now ? last + STEP_MS : now;
    return last;
  };
}
