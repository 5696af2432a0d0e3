import { diff } from "../diff/diff.ts";
import { countChars } from "../positions.ts";
import { normalize, type Splice } from "../splice.ts";
import type { Text } from "../text.ts";
import { DocumentLines } from "./document-lines.ts";
import { type HunkGroup, HunkGroups } from "./hunk-groups.ts";
import type { Patch } from "./patch.ts";
import { isPatchFailure, type Match, type PatchFailure } from "./patch-failure.ts";
import { withoutForeignMark } from "./patch-mark.ts";
import { type Allowance, HunkPlacer } from "./place-hunk.ts";

/** The place of one applied hunk. */
export interface PlacedHunk {
  /** The hunk's first line in the document (1-based), and the number of lines it covers. */
  readonly line: number;
  readonly count: number;
  /** The distance in lines from the header's place. */
  readonly offset: number;
  /** 0 for an exact match; 1 or 2 when the match ignores the difference in `allowed`. */
  readonly fuzz: 0 | 1 | 2;
  readonly allowed?: Allowance;
  /** The edge of the document that the hunk comes from, as it lacks context on that side; set when it fits elsewhere. */
  readonly away?: "start" | "end";
}

/** The places of a patch's hunks in a document. */
export interface Placement {
  readonly splices: Splice[];
  readonly hunks: readonly PlacedHunk[];
  /** The largest absolute offset of a hunk. */
  readonly maxOffset: number;
  /** The largest fuzz of a hunk. */
  readonly fuzz: 0 | 1 | 2;
}

/**
 * Places all hunks of a patch and returns splices that touch only changed characters; or returns why one hunk has no
 * place. A hunk goes to its stated place, with or without the offset of the previous hunk, or else to its only match
 * within 50 lines. A hunk without a stated place goes to its only match in the document. A strict match requires equal
 * context and deleted lines, apart from line endings; `HunkPlacer` lists the steps of a tolerant match.
 *
 * @param own true when the patch was made from `base`, so that nothing of it is applied already
 */
export function placePatch(
  base: Text,
  patch: Patch,
  match: Match = "strict",
  own = false,
): Placement | PatchFailure {
  const document = new DocumentLines(base.toString());
  const placer = new HunkPlacer(document, match, own);
  const groups = new HunkGroups(document, patch);
  const hunks: PlacedHunk[] = [];
  let carried = 0;
  let after = 0;
  for (const hunk of withoutForeignMark(patch.hunks, base)) {
    const landing = placer.place(hunk, hunks.length + 1, carried, after);
    if (isPatchFailure(landing)) return landing;
    const { hunk: fitting, place, ...how } = landing;
    groups.add(fitting, place);
    if (fitting.anchors === undefined) carried = how.offset;
    after = place + fitting.oldCount;
    hunks.push({ line: place + 1, count: fitting.oldCount, ...how });
  }
  const maxOffset = hunks.reduce((most, { offset }) => Math.max(most, Math.abs(offset)), 0);
  const fuzz = hunks.reduce<0 | 1 | 2>((most, hunk) => (hunk.fuzz > most ? hunk.fuzz : most), 0);
  return { splices: toSplices(base, document, groups.done()), hunks, maxOffset, fuzz };
}

/** Compares old and new lines as two texts, so that only a changed word is replaced. Positions are code points. */
function toSplices(base: Text, document: DocumentLines, groups: readonly HunkGroup[]): Splice[] {
  const sizeOf = base.chars === base.utf16 ? (s: string) => s.length : countChars;
  const splices: Splice[] = [];
  let line = 0;
  let chars = 0;
  for (const { from, to, lines, mark } of groups) {
    chars += sizeOf(document.slice(line, from));
    line = from;
    const start = chars + mark;
    const updated = lines.map((each) => each.text + each.ending).join("");
    for (const splice of diff(document.slice(from, to).slice(mark), updated))
      splices.push({ ...splice, from: start + splice.from, to: start + splice.to });
  }
  return normalize(splices);
}
