import type { Stretch } from "./stretch.ts";

/**
 * Moves each insertion and each deletion as late as possible, and joins changes that then touch. A copy therefore
 * comes after its original, and the same edit always gives the same result.
 */
export function settle(changes: readonly Stretch[], a: Int32Array, b: Int32Array): Stretch[] {
  const out: Stretch[] = []; // the last change comes first
  for (const change of changes.toReversed()) {
    let moved = change;
    for (;;) {
      const next = out.at(-1);
      moved = slide(moved, a, b, next?.a0 ?? a.length);
      if (next === undefined || moved.a1 < next.a0) break;
      moved = { a0: moved.a0, a1: next.a1, b0: moved.b0, b1: next.b1 };
      out.pop();
    }
    out.push(moved);
  }
  return out.reverse();
}

function slide(change: Stretch, a: Int32Array, b: Int32Array, end: number): Stretch {
  const { a0, a1, b0, b1 } = change;
  if (a0 < a1 && b0 < b1) return change;
  let by = 0;
  if (a0 === a1) while (a1 + by < end && b[b0 + by] === b[b1 + by]) by++;
  else while (a1 + by < end && a[a0 + by] === a[a1 + by]) by++;
  return { a0: a0 + by, a1: a1 + by, b0: b0 + by, b1: b1 + by };
}
