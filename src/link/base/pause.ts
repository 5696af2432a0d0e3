/** The longest pause between two tries of something with a defect; milliseconds. */
const MOST_MS = 3_600_000;

/** Returns the pause after a pause of `ms`, up to `most`: what fails is tried less and less often. */
export function longer(ms: number, most = MOST_MS): number {
  return Math.min(2 * ms, most);
}
