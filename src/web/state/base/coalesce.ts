/** Work that many events request and that runs once for all of them. */
interface Coalesced {
  /** Requests a run. Further requests before that run have no effect. */
  readonly soon: () => void;
  readonly end: () => void;
}

/**
 * Runs `work` `ms` milliseconds after the first request. If a request comes while `work` runs, `work` runs again `ms`
 * milliseconds after it has ended, or after `pause` times its own time if that is longer. So a slow daemon never gets a
 * second request before it has answered the first.
 */
export function coalesce(ms: number, work: () => Promise<void>, pause = 0): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state: "idle" | "running" | "requested again" | "ended" = "idle";
  const soon = () => {
    if (state === "idle") begin(ms);
    else if (state === "running") state = "requested again";
  };
  const begin = (wait: number) => {
    timer ??= setTimeout(() => void run(), wait);
  };
  const run = async () => {
    timer = undefined;
    state = "running";
    const began = performance.now();
    await work().finally(() => done(performance.now() - began));
  };
  const done = (took: number) => {
    const again = state === "requested again";
    if (state !== "ended") state = "idle";
    if (again) begin(Math.max(ms, pause * took));
  };
  return {
    soon,
    end() {
      state = "ended";
      clearTimeout(timer);
    },
  };
}
