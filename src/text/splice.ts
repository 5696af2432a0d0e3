import { countChars } from "./positions.ts";

/**
 * A replacement of the half-open range `from..to` (code points) by `insert`. All splices of one edit are in positions
 * of the text before the edit, ascending and non-overlapping.
 */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Returns the numbers of code points that the splices insert and remove. */
export function countsOf(splices: readonly Splice[]): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const { from, to, insert } of splices) {
    added += countChars(insert);
    removed += to - from;
  }
  return { added, removed };
}

/** Returns the problem of a list of splices for a text of `length` code points; undefined when it has none. */
export function spliceProblem(splices: readonly Splice[], length: number): string | undefined {
  let last = 0;
  for (const [i, { from, to }] of splices.entries()) {
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to))
      return `splice ${i}: from and to must be whole numbers`;
    if (from < 0 || to > length) return `splice ${i}: ${from}..${to} lies outside the text (0..${length})`;
    if (from > to) return `splice ${i}: from ${from} is after to ${to}`;
    if (from < last) return `splice ${i}: ${from}..${to} overlaps the splice before it or comes before it`;
    last = to;
  }
  return undefined;
}

/** Joins splices that touch and drops empty ones. */
export function normalize(splices: readonly Splice[]): Splice[] {
  const out: Splice[] = [];
  for (const s of splices) {
    if (s.from === s.to && s.insert === "") continue;
    const last = out.at(-1);
    if (last !== undefined && last.to === s.from)
      out[out.length - 1] = {
        from: last.from,
        to: s.to,
        insert: last.insert + s.insert,
      };
    else out.push(s);
  }
  return out;
}

/** Returns a text that two splices share exactly if they are the same. */
export function spliceKey({ from, to, insert }: Splice): string {
  return `${from},${to},${insert}`;
}

/** Returns the growth of a text in code points when the splices are applied. */
export function growth(splices: readonly Splice[]): number {
  return splices.reduce((sum, s) => sum + countChars(s.insert) - (s.to - s.from), 0);
}

/** Returns the splices that undo the result, given the text that each splice removed. */
export function invert(splices: readonly Splice[], removed: readonly string[]): Splice[] {
  let shift = 0;
  return splices.map((s, i) => {
    const from = s.from + shift;
    const size = countChars(s.insert);
    shift += size - (s.to - s.from);
    return { from, to: from + size, insert: removed[i] ?? "" };
  });
}
