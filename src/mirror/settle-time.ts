import { type Decoded, endsEarly, grew } from "./format.ts";

/** Two looks this far apart must agree before an in-place write is taken in (I5); milliseconds. */
export const SETTLE_MS = 10;
/** What looks like a write under way, because the file lost its end, has to hold still this long. */
const TORN_MS = 200;
/** And what somebody still has open for writing, this long. */
const STALL_MS = 1000;

/**
 * How long a file that was written in place must have held still before what it holds (undefined: no text) is
 * taken for whole, in milliseconds (I5); `open`: somebody has it open for writing. What was only appended to is
 * whole at the end of each line.
 */
export function settleTimeFor(now: Decoded | undefined, known: Decoded, open: boolean): number {
  if (now !== undefined && grew(now, known) && (!open || now.text.endsWithBreak)) return 0;
  if (open) return STALL_MS;
  return now === undefined || endsEarly(now, known) ? TORN_MS : SETTLE_MS;
}
