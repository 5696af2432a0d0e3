import { setImmediate } from "node:timers/promises";

/** The time after which work pauses, so that the daemon serves others (I14); milliseconds. */
const SLICE_MS = 4;

/** Call it often: it returns a promise when the work is to wait for others, and nothing otherwise. */
export type Pause = () => Promise<void> | undefined;

/** Returns a function that waits for the next turn of the event loop once a slice is over. */
export function pauses(): Pause {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}
