/** A summary of values. */
export interface Summary {
  readonly n: number;
  readonly p50: number;
  readonly p99: number;
  readonly mean: number;
}

/** Summarizes values. @throws RangeError when there are none */
export function summarize(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { n: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), mean };
}

/** Returns a percentile, interpolated between neighbours, of ascending samples. Of few samples it is near the maximum. */
function percentile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) throw new RangeError("no samples");
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)]!;
  const high = sorted[Math.ceil(at)]!;
  return low + (high - low) * (at - Math.floor(at));
}
