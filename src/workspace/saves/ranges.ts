import { countChars } from "../../text/positions.ts";
import { countsOf, type Splice } from "../../text/splice.ts";

/** A half-open range of a text, in code points. */
export type Range = Pick<Splice, "from" | "to">;

/** Returns the code points that splices remove and insert, added up. */
export function editSize(splices: readonly Splice[]): number {
  const { added, removed } = countsOf(splices);
  return added + removed;
}

/** True for edits that insert text and remove none. */
export function onlyAdds(edits: readonly Splice[]): boolean {
  return edits.length > 0 && edits.every(({ from, to }) => from === to);
}

/** Returns where the inserts of splices are in the text that the splices make. */
export function insertedRanges(splices: readonly Splice[]): readonly Range[] {
  let shift = 0;
  return splices.map(({ from, to, insert }) => {
    const start = from + shift;
    const end = start + countChars(insert);
    shift += end - start - (to - from);
    return { from: start, to: end };
  });
}

/** True when two ranges overlap or touch. */
export function touches(a: Range, b: Range): boolean {
  return a.from <= b.to && a.to >= b.from;
}

/** True when a range of one list overlaps or touches a range of the other; both lists ascend. */
export function anyTouches(a: readonly Range[], b: readonly Range[]): boolean {
  let next = 0;
  return a.some((range) => {
    while (next < b.length && b[next]!.to < range.from) next++;
    return next < b.length && touches(b[next]!, range);
  });
}

/** Returns the number of positions that two lists of ranges share; both lists ascend. */
export function sharedLength(a: readonly Range[], b: readonly Range[]): number {
  let sum = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    sum += Math.max(0, Math.min(a[i]!.to, b[j]!.to) - Math.max(a[i]!.from, b[j]!.from));
    if (a[i]!.to < b[j]!.to) i++;
    else j++;
  }
  return sum;
}

/** Returns ranges without their overlaps, in ascending order. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const all: { from: number; to: number }[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}
