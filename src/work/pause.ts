import { setImmediate } from "node:timers/promises";

/** The time after which work pauses, so that the daemon serves others (I14); milliseconds. */
const SLICE_MS = 4;

/** Call it often: it returns a promise when the work is to wait for others, and nothing otherwise. */
export type Pause = () => Promise<void> | undefined;

/** Tells the time since some moment, in milliseconds. */
export interface Elapsing {
  elapsed(): number;
}

const SYSTEM: Elapsing = { elapsed: () => performance.now() };

/** Returns a function that waits for the next turn of the event loop once a slice is over. */
export function pauses(clock = SYSTEM): Pause {
  let began = clock.elapsed();
  return () => {
    if (clock.elapsed() - began < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      began = clock.elapsed();
    });
  };
}
