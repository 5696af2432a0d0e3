/** Work that many events request and that runs once for all of them. */
interface Coalesced {
  /** Requests a run. Further requests before that run have no effect. */
  readonly soon: () => void;
  readonly end: () => void;
}

/**
 * Runs `work` `ms` milliseconds after the first request. If a request comes while `work` runs, `work` runs again `ms`
 * milliseconds after it has ended. So a slow daemon never gets a second request before it has answered the first.
 */
export function coalesce(ms: number, work: () => Promise<void>): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state: "idle" | "running" | "requested again" | "ended" = "idle";
  const soon = () => {
    if (state === "idle") timer ??= setTimeout(() => void run(), ms);
    else if (state === "running") state = "requested again";
  };
  const run = async () => {
    timer = undefined;
    state = "running";
    await work().finally(done);
  };
  const done = () => {
    const again = state === "requested again";
    if (state !== "ended") state = "idle";
    if (again) soon();
  };
  return {
    soon,
    end() {
      state = "ended";
      clearTimeout(timer);
    },
  };
}
