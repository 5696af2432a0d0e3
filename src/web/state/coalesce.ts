/** Work that is asked for in bursts, and done once for each. */
export interface Coalesced {
  /** Has it done soon; asking again until then changes nothing. */
  readonly soon: () => void;
  readonly end: () => void;
}

/**
 * `ms` after it is first asked for, `work` is done; asked for while it is under way, `ms` after that. A daemon with
 * much to answer is so never asked the same a second time before it has answered.
 */
export function coalesce(ms: number, work: () => Promise<void>): Coalesced {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let is: "idle" | "at work" | "asked again" | "ended" = "idle";
  const soon = () => {
    if (is === "idle") waiting ??= setTimeout(() => void run(), ms);
    else if (is === "at work") is = "asked again";
  };
  const run = async () => {
    waiting = undefined;
    is = "at work";
    await work().finally(done);
  };
  const done = () => {
    const again = is === "asked again";
    if (is !== "ended") is = "idle";
    if (again) soon();
  };
  return {
    soon,
    end() {
      is = "ended";
      clearTimeout(waiting);
    },
  };
}
