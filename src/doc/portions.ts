/** The most updates in a portion, and the most bytes of several updates. */
const MOST_UPDATES = 64;
const MOST_BYTES = 4096;

/**
 * Splits updates, in order, into the portions that Loro imports fastest. Many small ones are faster at once. The time
 * for inserts that follow each other grows with the square of their bytes: 1,000 lines of 1 kB took 24 s at once, and 45
 * ms one by one.
 */
export function portions(updates: readonly Uint8Array[]): Uint8Array[][] {
  const made: Uint8Array[][] = [];
  let bytes = 0;
  for (const update of updates) {
    const last = made.at(-1);
    const fits = last !== undefined && last.length < MOST_UPDATES && bytes + update.length <= MOST_BYTES;
    bytes = fits ? bytes + update.length : update.length;
    if (fits) last.push(update);
    else made.push([update]);
  }
  return made;
}
