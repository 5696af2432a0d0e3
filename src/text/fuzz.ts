import type { Hunk } from "./hunk.ts";

/**
 * A hunk without its outermost context, as patch(1) leaves it out at a fuzz: so many lines on the side that has
 * more, as many less on the other as that has fewer. Undefined when there is no line to leave out.
 */
export function fuzzed(hunk: Hunk, fuzz: number): Hunk | undefined {
  const { lines } = hunk;
  const head = lines.findIndex((line) => line.kind !== "context");
  const tail = lines.length - 1 - lines.findLastIndex((line) => line.kind !== "context");
  const most = Math.max(head, tail);
  if (most < fuzz) return undefined;
  return trimmed(hunk, Math.max(0, fuzz + head - most), Math.max(0, fuzz + tail - most));
}

/** A hunk without so many of its first and last lines, which are context. */
export function trimmed(hunk: Hunk, head: number, tail: number): Hunk {
  const { lines, oldStart, oldCount, newStart, newCount } = hunk;
  const fewer = head + tail;
  // A count of 0 makes the start the line ahead of the place.
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
