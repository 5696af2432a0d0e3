/** The longest pause between two tries of something with a defect; milliseconds. */
const MOST_MS = 3_600_000;

/** Returns the pause after a pause of `ms`: something with a defect is tried less and less often. */
export function longer(ms: number): number {
  return Math.min(2 * ms, MOST_MS);
}
