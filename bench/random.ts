/** Returns a source of seeded numbers in [0, 1), so that every run does the same work (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns a whole number from 0 to `below`, exclusive. */
export function under(random: () => number, below: number): number {
  return Math.floor(random() * below);
}
