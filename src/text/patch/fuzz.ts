import type { Hunk } from "./hunk.ts";

/**
 * Returns a hunk without its outermost context lines, as patch(1) leaves them out at a fuzz. The side with more
 * context loses `fuzz` lines; the other side loses fewer, by the difference of the two. Undefined when no line can be
 * left out.
 */
export function fuzzed(hunk: Hunk, fuzz: number): Hunk | undefined {
  const { lines } = hunk;
  const head = lines.findIndex((line) => line.kind !== "context");
  const tail = lines.length - 1 - lines.findLastIndex((line) => line.kind !== "context");
  const most = Math.max(head, tail);
  if (most < fuzz) return undefined;
  return trimmed(hunk, Math.max(0, fuzz + head - most), Math.max(0, fuzz + tail - most));
}

/** Returns a hunk without its first `head` and last `tail` lines, which are context. */
export function trimmed(hunk: Hunk, head: number, tail: number): Hunk {
  const { lines, oldStart, oldCount, newStart, newCount } = hunk;
  const fewer = head + tail;
  // With a count of 0, the start is the line before the place.
  const start = (from: number, count: number) => (hunk.anchors ? 0 : from + head - (count === fewer ? 1 : 0));
  return {
    ...hunk,
    lines: lines.slice(head, lines.length - tail),
    oldStart: start(oldStart, oldCount),
    oldCount: oldCount - fewer,
    newStart: start(newStart, newCount),
    newCount: newCount - fewer,
  };
}
