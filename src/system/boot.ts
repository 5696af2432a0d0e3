import { readFileSync } from "node:fs";

/** Returns the id of the system's present run, which a restart of the machine changes; undefined where it has none. */
export function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined; // the system is not Linux
  }
}
