import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../mirror/clock.ts";
import { freeMemory } from "../mirror/system.ts";

/** The interval at which the process looks at its memory; milliseconds. */
const LOOK_MS = 5_000;
/** The growth since the last release that makes another one worth its time; bytes. */
const GROWTH = 24 << 20;
/** The share of an interval that the process may compute in and still counts as idle. */
const IDLE_SHARE = 0.1;

/**
 * Releases unused memory to the system while the process is idle, until the signal aborts. Node collects garbage only
 * as it needs room, and the C library keeps what was freed, so that an idle daemon would look as large as it ever was.
 */
export async function spareMemory(clock: Clock, signal: AbortSignal): Promise<void> {
  const collect = collector();
  let released = process.memoryUsage.rss();
  let before = process.cpuUsage();
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal);
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const isIdle = (user + system) / 1000 < LOOK_MS * IDLE_SHARE;
    if (signal.aborted || !isIdle || process.memoryUsage.rss() < released + GROWTH) continue;
    collect();
    freeMemory();
    released = process.memoryUsage.rss();
    before = process.cpuUsage();
  }
}

/** Returns the function that collects garbage now. Node has none without a flag, which may be set at any time. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
