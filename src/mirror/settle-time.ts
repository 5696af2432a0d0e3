import { type Decoded, endsEarly, grew } from "./format.ts";

/** The time between two looks that must agree before a write in place counts as complete (I5); milliseconds. */
export const SETTLE_MS = 10;
/** The settle time of a file that lost its end, which looks like a write under way; milliseconds. */
const TORN_MS = 200;
/** The settle time of a file that another process has open for writing; milliseconds. */
export const STALL_MS = 1000;

/**
 * Returns the time for which a file that was written in place must stay unchanged before its content (undefined: no
 * text) counts as complete, in milliseconds (I5). `open`: another process has it open for writing. A file that only
 * grew is complete at the end of each line.
 */
export function settleTimeFor(now: Decoded | undefined, known: Decoded, open: boolean): number {
  if (now !== undefined && grew(now, known) && (!open || now.text.endsWithBreak)) return 0;
  if (open) return STALL_MS;
  return now === undefined || endsEarly(now, known) ? TORN_MS : SETTLE_MS;
}
