import { diff } from "./diff.ts";
import { DocumentLines } from "./document-lines.ts";
import { type HunkGroup, HunkGroups } from "./hunk-groups.ts";
import { type Allowance, Ladder } from "./ladder.ts";
import type { Patch } from "./patch.ts";
import { isPatchFailure, type Match, type PatchFailure } from "./patch-failure.ts";
import { countChars } from "./positions.ts";
import { normalize, type Splice } from "./splice.ts";
import type { Text } from "./text.ts";

/** Where one hunk landed. */
export interface Landed {
  /** Its first line there (1-based), and how many lines of the document it covers. */
  readonly line: number;
  readonly count: number;
  /** How many lines that is off its header's place. */
  readonly offset: number;
  /** 0 where its lines match as they are. */
  readonly fuzz: 0 | 1 | 2;
  readonly allowed?: Allowance;
}

/** Where a patch lands in a document. */
export interface Placement {
  readonly splices: Splice[];
  readonly hunks: readonly Landed[];
  /** The largest offset, without its sign. */
  readonly maxOffset: number;
  /** The largest of the hunks. */
  readonly fuzz: 0 | 1 | 2;
}

/**
 * Finds where each hunk belongs and turns the patch into splices that touch changed characters only, or says
 * why not: all hunks or nothing. A hunk lands at its stated place, shifted as the hunk ahead of it was or not;
 * else at the only place within 50 lines where it matches; one that states no place at its only one. Strictly,
 * context and deleted lines must match exactly, line endings aside; see `Ladder` for what else there is.
 */
export function placePatch(base: Text, patch: Patch, match: Match = "strict"): Placement | PatchFailure {
  const document = new DocumentLines(base.toString());
  const ladder = new Ladder(document, match);
  const groups = new HunkGroups(document, patch);
  const hunks: Landed[] = [];
  let carried = 0;
  let after = 0;
  for (const each of patch.hunks) {
    const landing = ladder.land(each, hunks.length + 1, carried, after);
    if (isPatchFailure(landing)) return landing;
    const { hunk, place, ...how } = landing;
    groups.add(hunk, place);
    if (hunk.anchors === undefined) carried = how.offset;
    after = place + hunk.oldCount;
    hunks.push({ line: place + 1, count: hunk.oldCount, ...how });
  }
  const maxOffset = hunks.reduce((most, { offset }) => Math.max(most, Math.abs(offset)), 0);
  const fuzz = hunks.reduce<0 | 1 | 2>((most, hunk) => (hunk.fuzz > most ? hunk.fuzz : most), 0);
  return { splices: toSplices(base, document, groups.done()), hunks, maxOffset, fuzz };
}

/** Compares old and new lines as any two texts, so that a changed word is what changes; positions in code points. */
function toSplices(base: Text, document: DocumentLines, groups: readonly HunkGroup[]): Splice[] {
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
