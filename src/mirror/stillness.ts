import type { Text } from "../text/text.ts";
import type { Decoded } from "./format.ts";

/** Two looks this far apart must agree before an in-place write is taken in (I5); milliseconds. */
export const SETTLE_MS = 10;
/** What looks like a write under way, because the file lost its end, has to hold still this long. */
const TORN_MS = 200;
/** And what somebody still has open for writing, this long. */
const STALL_MS = 1000;
/** So many characters at the end tell whether it is the end that a file had. */
const END = 64;

/**
 * How long a file that was written in place must have held still before what it holds (undefined: no text) is
 * taken for whole, in milliseconds (I5); `open`: somebody has it open for writing. What was only appended to is
 * whole at any time.
 */
export function stillnessFor(now: Decoded | undefined, known: Decoded, open: boolean): number {
  if (now !== undefined && grew(now.text, known.text)) return 0;
  if (open) return STALL_MS;
  return now === undefined || endsEarly(now.text, known.text) ? TORN_MS : SETTLE_MS;
}

function grew(now: Text, known: Text): boolean {
  return now.chars >= known.chars && begins(now, known);
}

/** True when a text became shorter and ends otherwise than it did, or is the mere beginning of what it was. */
function endsEarly(now: Text, known: Text): boolean {
  return (
    now.chars < known.chars && (endOf(now, now.chars) !== endOf(known, known.chars) || begins(known, now))
  );
}

function begins(text: Text, start: Text): boolean {
  const { chars } = start;
  return endOf(text, chars) === endOf(start, chars) && text.slice(0, chars) === start.toString();
}

/** The last characters ahead of a position. */
function endOf(text: Text, at: number): string {
  return text.slice(Math.max(0, at - END), at);
}
