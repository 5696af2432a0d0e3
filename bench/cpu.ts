import { readdirSync, readFileSync } from "node:fs";

/** The processor time of each thread of a process, in nanoseconds, by the thread's id. */
export type CpuTimes = ReadonlyMap<string, number>;

/** Returns the processor time of a process's threads. Only Linux tells it; elsewhere the result is undefined. */
export function cpuTimes(pid: number): CpuTimes | undefined {
  if (process.platform !== "linux") return undefined;
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).map((id) => [id, Number(readSome(`${folder}/${id}/schedstat`).split(" ")[0])]),
  );
}

/** Returns the milliseconds between two looks. The time of threads that ended between them is unknown and missing. */
export function cpuMsBetween(before: CpuTimes, after: CpuTimes): number {
  let sum = 0;
  for (const [id, time] of after) sum += Math.max(0, time - (before.get(id) ?? 0));
  return sum / 1e6;
}

/** Returns a file's content, or "0" when its thread has just ended. */
function readSome(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return "0";
    throw error;
  }
}
