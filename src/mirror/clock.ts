import { setMaxListeners } from "node:events";

/** The time as a port, so that tests can simulate days; milliseconds. */
export interface Clock {
  /** Returns the time since the epoch by the machine's clock, which a person may set to any time. */
  now(): number;
  /** Returns the time since a fixed moment; steady even when the machine's clock is set. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      setMaxListeners(0, signal); // any number of callers may sleep until the same end
      signal.addEventListener("abort", done);
    }),
};
