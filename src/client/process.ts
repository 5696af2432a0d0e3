import { readFileSync } from "node:fs";

/** True while a process runs; one that has ended and was not collected by its parent does not. */
export function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return statOf(pid)?.state !== "Z";
}

/** When a process began, so that another with its number is not taken for it; "" where the system does not tell. */
export function processBegan(pid: number): string {
  return statOf(pid)?.began ?? "";
}

/** Linux's own account of a process; undefined elsewhere. */
function statOf(pid: number): { state: string; began: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", began: fields[19] ?? "" };
  } catch {
    return undefined; // no /proc, or no such process any more: the caller has the signal's answer
  }
}
