import { readFileSync } from "node:fs";

/** Returns the memory that a process has now, in bytes: its resident set. It needs Linux. */
export function residentBytes(pid: number): number {
  return fieldOf(pid, "VmRSS");
}

/** Returns the most memory that a process has had, in bytes. It needs Linux. */
export function peakBytes(pid: number): number {
  return fieldOf(pid, "VmHWM");
}

function fieldOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes] = new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status) ?? [];
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(kilobytes) * 1024;
}
