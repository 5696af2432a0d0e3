import { safeCut } from "../positions.ts";

/** The number of units compared at once as slices, which is a fast memory comparison, before comparing one by one. */
const BLOCK = 1024;

/** Returns the number of UTF-16 units that both strings begin with; never ends inside a surrogate pair. */
export function commonHead(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let i = 0;
  while (i + BLOCK <= limit && a.slice(i, i + BLOCK) === b.slice(i, i + BLOCK)) i += BLOCK;
  while (i < limit && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return Math.min(safeCut(a, i), safeCut(b, i));
}

/**
 * Returns the number of UTF-16 units that both strings end with, not counting the first `head` units. The common tail
 * never starts inside a surrogate pair.
 */
export function commonTail(a: string, b: string, head: number): number {
  const limit = Math.min(a.length, b.length) - head;
  let i = 0;
  while (i + BLOCK <= limit && slice(a, i) === slice(b, i)) i += BLOCK;
  while (i < limit && a.charCodeAt(a.length - i - 1) === b.charCodeAt(b.length - i - 1)) i++;
  const cut = a.length - i;
  return safeCut(a, cut) < cut ? i - 1 : i;
}

function slice(s: string, end: number): string {
  return s.slice(s.length - end - BLOCK, s.length - end);
}
