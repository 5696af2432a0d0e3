/** Time as a port, so that days can be simulated. In milliseconds. */
export interface Clock {
  /** Since the epoch, as the machine's clock says, which may be set to anything at any moment. */
  now(): number;
  /** Since some moment; goes on steadily whatever is done to the machine's clock. */
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
      signal.addEventListener("abort", done);
    }),
};
