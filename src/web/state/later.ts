/** Work that is asked for in bursts, and done once for each. */
export interface Later {
  /** Has it done soon; asking again until then changes nothing. */
  readonly soon: () => void;
  readonly end: () => void;
}

/** `ms` after it is first asked for, `work` is done. */
export function later(ms: number, work: () => void): Later {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  return {
    soon() {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        work();
      }, ms);
    },
    end: () => clearTimeout(waiting),
  };
}
