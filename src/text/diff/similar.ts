import { isSpace } from "./space.ts";

/** The most UTF-16 units of a line that are compared. */
const LIMIT = 400;

/** The pairs of neighbouring characters of a line, without white space, sorted. Two lines are compared by them. */
export type Signature = Int32Array;

export function signatureOf(line: string): Signature {
  const pairs = new Int32Array(Math.min(line.length, LIMIT));
  let size = 0;
  let last = 0;
  for (let i = 0; i < pairs.length; i++) {
    const unit = line.charCodeAt(i);
    if (isSpace(unit)) continue;
    pairs[size++] = (last << 16) | unit;
    last = unit;
  }
  return pairs.subarray(0, size).sort();
}

/** Returns the likeness of two lines, from 0 to 1: the share of character pairs that both have (Dice). */
export function likeness(a: Signature, b: Signature): number {
  if (a.length + b.length === 0) return 1;
  let both = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) both++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return (2 * both) / (a.length + b.length);
}
