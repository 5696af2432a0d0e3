import type { Splice } from "../../text/splice.ts";

/** Two people do not insert a run of this many equal characters at or near one place by chance. */
const RUN = 12;
/** Nor does one insert the whole text that the other inserted there, if that has at least this many characters. */
const WHOLE = 4;
/** The most texts that two edits have in common and that are counted. */
const MOST_COMMON = 64;

/**
 * True when a merge contains a run of characters more often than either side does, because both sides inserted it at
 * one place. Then the author of `ours` had seen `theirs`. Both are in the positions of one base; `sides` are the texts
 * that they make.
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
    const isTwice = (text: string) =>
      count(merged, text) > Math.max(...sides.map((side) => count(side, text)));
    for (let i = first; i < theirs.length && theirs[i]!.from <= to + RUN; i++) {
      const text = theirs[i]!.insert;
      if ([...contained(text, insert), ...commonTexts(text, insert, runs)].some(isTwice)) return true;
    }
    return false;
  });
}

/** True when edits insert all of a text that others inserted near the same place: their author had seen it. */
export function quotesText(own: readonly Splice[], others: readonly Splice[]): boolean {
  let first = 0;
  return others.some(({ from, to, insert }) => {
    const text = insert.trim();
    while (first < own.length && own[first]!.to < from - RUN) first++;
    if (text.length < WHOLE) return false;
    for (let i = first; i < own.length && own[i]!.from <= to + RUN; i++)
      if (own[i]!.insert.includes(text)) return true;
    return false;
  });
}

/** Returns the last place of each run in a text. */
function runsOf(text: string): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (let i = 0; i + RUN <= text.length; i++) runs.set(text.slice(i, i + RUN), i);
  return runs;
}

/**
 * Returns the forms of a text too short for a run in both of its parts, without white space around them, that another
 * text contains. A comparison of texts finds one insert in several forms: before `"b1 "`, `"b2 "` is also `"2 b"` after
 * `"b"`.
 */
function contained(text: string, other: string): readonly string[] {
  if (text.length >= 2 * RUN) return [];
  const forms = Array.from({ length: text.length }, (_, at) => (text.slice(at) + text.slice(0, at)).trim());
  return forms.filter((form) => form.length >= WHOLE && other.includes(form));
}

/** Returns the texts of at least a run that two texts have in common, as far as they go; at most MOST_COMMON. */
function commonTexts(text: string, other: string, runs: ReadonlyMap<string, number>): readonly string[] {
  const found: string[] = [];
  for (let i = 0; i + RUN <= text.length && found.length < MOST_COMMON; i++) {
    const at = runs.get(text.slice(i, i + RUN));
    if (at === undefined) continue;
    let length = RUN;
    while (i + length < text.length && text[i + length] === other[at + length]) length++;
    found.push(text.slice(i, i + length));
    i += length - 1;
  }
  return found;
}

function count(text: string, run: string): number {
  return text.split(run).length - 1;
}
