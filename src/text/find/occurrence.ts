/** The match to replace among several; a number counts from 1. */
export type Occurrence = "unique" | "first" | "all" | number;

/** The most places that an ambiguity lists. */
export const MOST_LISTED = 10;
/** The most matches that one edit replaces, or counts to find the n-th (I14). */
export const MOST_MATCHES = 1_000_000;
/** The most splices of one replacement; beyond it, neighbouring matches are joined into one splice (I14). */
export const MOST_SPLICES = 10_000;

/** Returns the number of matches that a search must find to decide whether `occurrence` is valid. */
export function neededFor(occurrence: Occurrence): number {
  if (occurrence === "unique") return MOST_LISTED + 1;
  if (occurrence === "first") return 1;
  return occurrence === "all" ? MOST_MATCHES + 1 : Math.min(occurrence, MOST_MATCHES + 1);
}
