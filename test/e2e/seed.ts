/** Random numbers that are the same each time for the same seed (mulberry32). */
export interface Random {
  readonly seed: number;
  /** Returns a number from 0 up to 1, exclusive. */
  next(): number;
  /** Returns a whole number from 0 up to `n`, exclusive. */
  below(n: number): number;
  pick<T>(from: readonly T[]): T;
}

/** The seed of a run: `SEED` in the environment, which repeats a reported failure, or the default one. */
export function chosenSeed(usual: number): number {
  return Number(process.env["SEED"] ?? usual);
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { seed, next, below, pick: (from) => from[below(from.length)]! };
}
