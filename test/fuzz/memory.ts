import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Resident memory of this process once garbage is collected, in bytes. */
export function residentNow(): number {
  collect();
  return process.memoryUsage.rss();
}
