import type { Clock } from "../mirror/clock.ts";

interface RestOptions {
  readonly clock: Clock;
  /** Milliseconds without use after which the daemon should end. */
  readonly restMs: number;
  /** Returns the number of open connections. */
  readonly connections: () => Promise<number>;
  /** Calls the listener with each use of the daemon beside its connections. */
  readonly listen: (used: () => void) => () => void;
}

/** The parts of the rest time at whose ends the daemon looks for connections. */
const LOOKS = 20;

/** Resolves once no client has used the daemon for the rest time, or `signal` aborts. */
export async function unused(
  { clock, restMs, connections, listen }: RestOptions,
  signal: AbortSignal,
): Promise<void> {
  let used = clock.elapsed();
  const unlisten = listen(() => {
    used = clock.elapsed();
  });
  while (!signal.aborted && clock.elapsed() - used < restMs) {
    await clock.sleep(restMs / LOOKS, signal);
    if ((await connections()) > 0) used = clock.elapsed();
  }
  unlisten();
}
