import type { Splice } from "../../text/splice.ts";

/** Characters in a row that two people do not write at one place, or so near to each other, by chance. */
const RUN = 12;

/**
 * True when a merge has a run of characters oftener than either side, because both put it in at one place: one of
 * them had seen it at the other's. `ours` and `theirs` are in the positions of one base.
 */
export function duplicatesText(
  ours: readonly Splice[],
  theirs: readonly Splice[],
  merged: string,
  sides: readonly string[],
): boolean {
  let first = 0;
  return ours.some(({ from, to, insert }) => {
    while (first < theirs.length && theirs[first]!.to < from - RUN) first++;
    if (first === theirs.length || theirs[first]!.from > to + RUN) return false;
    const runs = runsOf(insert);
    for (let i = first; i < theirs.length && theirs[i]!.from <= to + RUN; i++) {
      const run = runIn(theirs[i]!.insert, runs);
      if (run !== undefined && count(merged, run) > Math.max(...sides.map((side) => count(side, run))))
        return true;
    }
    return false;
  });
}

function runsOf(text: string): ReadonlySet<string> {
  const runs = new Set<string>();
  for (let i = 0; i + RUN <= text.length; i++) runs.add(text.slice(i, i + RUN));
  return runs;
}

function runIn(text: string, runs: ReadonlySet<string>): string | undefined {
  for (let i = 0; i + RUN <= text.length; i++) {
    const run = text.slice(i, i + RUN);
    if (runs.has(run)) return run;
  }
  return undefined;
}

function count(text: string, run: string): number {
  return text.split(run).length - 1;
}
