import type { Clock } from "../../mirror/clock.ts";

interface RestOptions {
  readonly clock: Clock;
  /** Milliseconds without use after which the daemon should end. */
  readonly restMs: number;
  /** Returns the number of open connections. */
  readonly connections: () => Promise<number>;
  /** Returns the number of connections since the start, also of those for a single request. */
  readonly begun: () => number;
  /** Calls the listener with each use of the daemon beside its connections. */
  readonly listen: (used: () => void) => () => void;
}

/** The parts of the rest time at whose ends the daemon looks for connections. */
const LOOKS = 20;

/** Resolves once no client has used the daemon for the rest time, or `signal` aborts. */
export async function unused(
  { clock, restMs, connections, begun, listen }: RestOptions,
  signal: AbortSignal,
): Promise<void> {
  let used = clock.elapsed();
  let known = begun();
  const unlisten = listen(() => {
    used = clock.elapsed();
  });
  while (!signal.aborted && clock.elapsed() - used < restMs) {
    await clock.sleep(restMs / LOOKS, signal);
    if (begun() > known || (await connections()) > 0) used = clock.elapsed();
    known = begun();
  }
  unlisten();
}
