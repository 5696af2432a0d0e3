import { type Overlap, rebase } from "./delta.ts";
import { diff } from "./diff.ts";
import { gitChanges } from "./git-lines.ts";
import { lineOffsets, splitLines } from "./lines.ts";
import { regionsOf } from "./regions.ts";
import type { Splice } from "./splice.ts";
import { Text } from "./text.ts";

export interface Merge {
  /** What makes `ours` into `text`, in positions (code points) of `ours`. */
  readonly splices: readonly Splice[];
  readonly text: string;
  /** Where both sides changed the same characters, in positions of `base`; both texts are in `text`, ours first. */
  readonly conflicts: readonly Overlap[];
}

/**
 * Merges what `ours` and `theirs` made of `base`. Lines that one side alone changed are taken as git takes
 * them. Where changed lines touch, the changes are compared by words and characters, and a conflict is only
 * where both changed the same ones. Nothing that either side inserted is lost; what both did counts once (I7).
 *
 * @throws RangeError when `ours` holds a lone surrogate.
 */
export function merge(base: string, ours: string, theirs: string): Merge {
  if (ours === theirs || base === theirs) return { splices: [], text: ours, conflicts: [] };
  const { own, other } = edits(base, ours, theirs);
  const { splices, overlaps } = rebase(other, own);
  return {
    splices,
    text: Text.of(ours).splice(splices).toString(),
    conflicts: overlaps.map((overlap) => ({ ours: overlap.theirs, theirs: overlap.ours })),
  };
}

interface Edits {
  readonly own: readonly Splice[];
  readonly other: readonly Splice[];
}

/** What each side did to the base. Regions that both made alike are in `own` only. */
function edits(base: string, ours: string, theirs: string): Edits {
  const a = splitLines(base);
  const b = splitLines(ours);
  const c = splitLines(theirs);
  const offsets = lineOffsets([...a, ""]);
  const own: Splice[][] = [];
  const other: Splice[][] = [];
  for (const region of regionsOf(gitChanges(a, b), gitChanges(a, c))) {
    const { a0, a1 } = region.ours;
    const at = offsets[a0]!;
    const old = a.slice(a0, a1).join("");
    const left = b.slice(region.ours.b0, region.ours.b1).join("");
    const right = c.slice(region.theirs.b0, region.theirs.b1).join("");
    if (region.by === "ours" || left === right) own.push([{ from: at, to: offsets[a1]!, insert: left }]);
    else if (region.by === "theirs") other.push(diffAt(at, old, right));
    else {
      const splices = diffAt(at, old, left);
      const others = diffAt(at, old, right);
      own.push(parted(splices, others));
      other.push(parted(others, splices));
    }
  }
  return { own: own.flat(), other: other.flat() };
}

/** The splices that make `base`, which stands at a position of a longer text, into `updated`. */
export function diffAt(at: number, base: string, updated: string): Splice[] {
  return diff(base, updated).map(({ from, to, insert }) => ({ from: from + at, to: to + at, insert }));
}

/**
 * The splices; one that puts in whole lines which a splice of `others` puts in the same place, and then more,
 * is cut in two behind them: the first part is the same edit and counts once. Not where the rest is the same
 * text again, which would count as the same edit, too.
 */
function parted(splices: readonly Splice[], others: readonly Splice[]): Splice[] {
  const inserts = new Map(others.map(({ from, to, insert }) => [`${from},${to}`, insert]));
  return splices.flatMap((splice) => {
    const { from, to, insert } = splice;
    const start = inserts.get(`${from},${to}`);
    if (start === undefined || !start.endsWith("\n") || !insert.startsWith(start)) return [splice];
    const rest = insert.slice(start.length);
    if (rest === "" || rest === start) return [splice];
    return [
      { from, to, insert: start },
      { from: to, to, insert: rest },
    ];
  });
}
