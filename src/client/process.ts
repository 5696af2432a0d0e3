import { readFileSync } from "node:fs";

/** True while a process runs; false for one that has ended, also before its parent has collected it. */
export function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return statOf(pid)?.state !== "Z";
}

/**
 * Returns when a process began, which distinguishes it from a later one of its number; "" on other systems
 * than Linux.
 */
export function processBegan(pid: number): string {
  return statOf(pid)?.began ?? "";
}

/**
 * True while a daemon's process runs, and this process sees it. A later process may have its number, and in a container
 * nearly always has: numbers begin at 1 there.
 */
export function sameProcessLives({ pid, began }: { readonly pid: number; readonly began: string }): boolean {
  return processLives(pid) && (began === "" || processBegan(pid) === began);
}

/** Reads a process's state and start from `/proc`; undefined on other systems than Linux. */
function statOf(pid: number): { state: string; began: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", began: fields[19] ?? "" };
  } catch {
    return undefined; // there is no /proc, or the process has ended: the caller relies on the signal
  }
}
