/** Upper bounds of the buckets, in milliseconds; a longer duration counts in the total only. */
export const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000] as const;

/** Durations in fixed buckets: an entry costs a few additions, and the memory stays constant. */
export class Histogram {
  readonly #counts = new Array<number>(BOUNDS_MS.length).fill(0);
  #count = 0;
  #sumMs = 0;

  add(ms: number): void {
    this.#count++;
    this.#sumMs += ms;
    const bucket = BOUNDS_MS.findIndex((bound) => ms <= bound);
    if (bucket >= 0) this.#counts[bucket]!++;
  }

  /** Returns the counts; each bucket includes all durations up to its bound, as in Prometheus. */
  snapshot(): { count: number; sumMs: number; buckets: { le: number; count: number }[] } {
    let reached = 0;
    const buckets = BOUNDS_MS.map((le, i) => {
      reached += this.#counts[i]!;
      return { le, count: reached };
    });
    return { count: this.#count, sumMs: round(this.#sumMs), buckets };
  }
}

/** Rounds to microseconds. */
export function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
