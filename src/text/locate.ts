import { diff } from "./diff.ts";
import { DocumentLines } from "./document-lines.ts";
import { type Group, HunkGroups } from "./hunk-groups.ts";
import type { Patch } from "./patch.ts";
import type { PatchFailure } from "./patch-failure.ts";
import { countChars } from "./positions.ts";
import { refuseHunk, refuseInsert } from "./refuse-hunk.ts";
import { endFits, MAX_OFFSET, type Search, searchFor } from "./search.ts";
import { normalize, type Splice } from "./splice.ts";
import type { Text } from "./text.ts";

/** Where a patch lands in a document. */
export interface Placement {
  readonly splices: Splice[];
  /** Of each hunk the line (1-based) at which it landed, and how many lines that is off its header's. */
  readonly hunks: readonly { readonly line: number; readonly offset: number }[];
  /** The largest offset, without its sign. */
  readonly maxOffset: number;
  /** Context lines that were ignored: none. */
  readonly fuzz: 0;
}

/**
 * Finds where each hunk belongs and turns the patch into splices that touch changed characters only, or says
 * why not: all hunks or nothing. Context and deleted lines must match exactly, line endings aside. A hunk
 * lands at its stated place, shifted as the hunk ahead of it was or not; else at the only place within 50
 * lines where it matches.
 */
export function placePatch(base: Text, patch: Patch): Placement | PatchFailure {
  const document = new DocumentLines(base.toString());
  const groups = new HunkGroups(document, patch);
  const hunks: { line: number; offset: number }[] = [];
  let carried = 0;
  let after = 0;
  for (const hunk of patch.hunks) {
    const search = searchFor(hunk, hunks.length + 1, carried, after);
    const place = hunk.oldCount === 0 ? placeInsert(document, search) : placeHunk(document, search);
    if (typeof place !== "number") return place;
    groups.add(hunk, place);
    carried = place - search.stated;
    after = place + hunk.oldCount;
    hunks.push({ line: place + 1, offset: carried });
  }
  const maxOffset = hunks.reduce((most, { offset }) => Math.max(most, Math.abs(offset)), 0);
  return { splices: toSplices(base, document, groups.done()), hunks, maxOffset, fuzz: 0 };
}

function placeHunk(document: DocumentLines, search: Search): number | PatchFailure {
  const { pattern, stated, carried, after } = search;
  const fits = (place: number) => place >= after && endFits(document, search, place);
  for (const place of [stated + carried, stated])
    if (document.matchesAt(place, pattern) && fits(place)) return place;
  const near = document.find(pattern, stated - MAX_OFFSET, stated + MAX_OFFSET).filter(fits);
  return near.length === 1 ? near[0]! : refuseHunk(document, search, near);
}

/** A hunk without any old line has nothing to be found by: only its stated place will do. */
function placeInsert(document: DocumentLines, search: Search): number | PatchFailure {
  const { stated, carried, after } = search;
  const sure = carried === 0 && stated >= after && stated <= document.count;
  return sure && endFits(document, search, stated) ? stated : refuseInsert(document, search);
}

/** Compares old and new lines as any two texts, so that a changed word is what changes; positions in code points. */
function toSplices(base: Text, document: DocumentLines, groups: readonly Group[]): Splice[] {
  const sizeOf = base.chars === base.utf16 ? (s: string) => s.length : countChars;
  const splices: Splice[] = [];
  let line = 0;
  let chars = 0;
  for (const { from, to, lines, mark } of groups) {
    chars += sizeOf(document.slice(line, from));
    line = from;
    const start = chars + mark;
    const made = lines.map((each) => each.text + each.ending).join("");
    for (const splice of diff(document.slice(from, to).slice(mark), made))
      splices.push({ ...splice, from: start + splice.from, to: start + splice.to });
  }
  return normalize(splices);
}
