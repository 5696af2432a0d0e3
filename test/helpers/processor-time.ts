/** Returns the processor time of this process that `work` takes, in milliseconds. A busy machine changes it little. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return sinceMs(before);
}

/** As `processorMs`, for work that ends with a promise. */
export async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return sinceMs(before);
}

function sinceMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
