/** Which of several matches is meant; a number counts from 1. */
export type Occurrence = "unique" | "first" | "all" | number;

/** Most places that an ambiguity lists. */
export const MOST_LISTED = 10;
/** Most matches that one edit replaces, or counts to find the n-th (I14). */
export const MOST_MATCHES = 1_000_000;
/** Most splices that replacing makes; where there are more matches, neighbours become one splice (I14). */
export const MOST_SPLICES = 10_000;

/** How many matches have to be looked for to know whether a choice can be made, and which it is. */
export function neededFor(occurrence: Occurrence): number {
  if (occurrence === "unique") return MOST_LISTED + 1;
  if (occurrence === "first") return 1;
  return occurrence === "all" ? MOST_MATCHES + 1 : Math.min(occurrence, MOST_MATCHES + 1);
}
