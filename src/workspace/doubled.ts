import type { Splice } from "../text/splice.ts";

/** Characters in a row that two people do not write at one place, or so near to each other, by chance. */
const RUN = 12;

/**
 * True when a merge has a run of characters oftener than either side, because both put it in at one place: one of
 * them had seen it at the other's. `ours` and `theirs` are in the positions of one base.
 */
export function isDoubled(
  ours: readonly Splice[],
  theirs: readonly Splice[],
  merged: string,
  sides: readonly string[],
): boolean {
  let first = 0;
  return ours.some(({ from, to, insert }) => {
    while (first < theirs.length && theirs[first]!.to < from - RUN) first++;
    for (let i = first; i < theirs.length && theirs[i]!.from <= to + RUN; i++) {
      const run = sharedRun(insert, theirs[i]!.insert);
      if (run !== undefined && count(merged, run) > Math.max(...sides.map((side) => count(side, run))))
        return true;
    }
    return false;
  });
}

function sharedRun(a: string, b: string): string | undefined {
  const runs = new Set<string>();
  for (let i = 0; i + RUN <= a.length; i++) runs.add(a.slice(i, i + RUN));
  for (let i = 0; i + RUN <= b.length; i++) if (runs.has(b.slice(i, i + RUN))) return b.slice(i, i + RUN);
  return undefined;
}

function count(text: string, run: string): number {
  return text.split(run).length - 1;
}
