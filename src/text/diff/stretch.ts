import { commonHead, commonTail } from "./ends.ts";

/** A pair of half-open ranges: `a0..a1` of one sequence or string against `b0..b1` of another. */
export interface Stretch {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
}

/** Returns the smallest stretch outside which two strings are equal. */
export function core(a: string, b: string): Stretch {
  const head = commonHead(a, b);
  const tail = commonTail(a, b, head);
  return { a0: head, a1: a.length - tail, b0: head, b1: b.length - tail };
}

export function shift({ a0, a1, b0, b1 }: Stretch, a: number, b: number): Stretch {
  return { a0: a0 + a, a1: a1 + a, b0: b0 + b, b1: b1 + b };
}

/** Returns true for an insertion, a deletion, or an empty stretch. */
export function isOneSided({ a0, a1, b0, b1 }: Stretch): boolean {
  return a0 === a1 || b0 === b1;
}

/**
 * Joins neighbouring changes while `weak` is true for two of them, that is, while the unchanged part between them may
 * be chance.
 */
export function joinWeak(
  changes: readonly Stretch[],
  weak: (left: Stretch, right: Stretch) => boolean,
): Stretch[] {
  const out: Stretch[] = [];
  for (const change of changes) {
    let joined = change;
    for (let left = out.at(-1); left !== undefined && weak(left, joined); left = out.at(-1)) {
      joined = { a0: left.a0, a1: joined.a1, b0: left.b0, b1: joined.b1 };
      out.pop();
    }
    out.push(joined);
  }
  return out;
}
