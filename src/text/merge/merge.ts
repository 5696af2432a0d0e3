import type { Overlap } from "../delta.ts";
import { diffAt } from "../diff/diff.ts";
import { gitChanges } from "../diff/git-lines.ts";
import { lineOffsets, splitLines } from "../lines.ts";
import type { Splice } from "../splice.ts";
import { Text } from "../text.ts";
import { type MergedEdits, mergeEdits } from "./merge-edits.ts";
import { regionsOf } from "./regions.ts";

export interface Merge {
  /** The splices that turn `ours` into `text`, in code points of `ours`. */
  readonly splices: readonly Splice[];
  readonly text: string;
  /**
   * Places where both sides changed the same words, or words beside each other, in positions of `base`. `text` contains
   * both versions, ours first.
   */
  readonly conflicts: readonly Overlap[];
}

/**
 * Merges two edited versions of `base`. Lines that only one side changed merge as in git. Where changed lines touch,
 * words are compared, and a conflict is reported where both sides changed the same words or words beside each other.
 * Text that either side inserted is never lost; an identical edit of both sides is applied once (I7).
 *
 * @throws RangeError when `ours` contains a lone surrogate.
 */
export function merge(base: string, ours: string, theirs: string): Merge {
  const [text, from] = [Text.of(ours), Text.of(base)];
  const { splices, overlaps, close } = mergeTexts(from, text, Text.of(theirs));
  return { splices, text: text.splice(splices).toString(), conflicts: [...overlaps, ...close] };
}

/**
 * Does the same, and distinguishes words that both sides changed (`overlaps`) from words changed side by side
 * (`close`).
 */
export function mergeTexts(
  base: Text,
  ours: Text,
  theirs: Text,
): Pick<MergedEdits, "splices" | "overlaps" | "close"> {
  const [b, o, t] = [base.toString(), ours.toString(), theirs.toString()];
  if (o === t || b === t) return { splices: [], overlaps: [], close: [] };
  const { own, other } = edits(b, o, t);
  const { splices, overlaps, close } = mergeEdits(base, other, own);
  return { splices, overlaps: overlaps.map(flipped), close: close.map(flipped) };
}

/** Returns a place with its sides exchanged. */
export function flipped({ ours, theirs }: Overlap): Overlap {
  return { ours: theirs, theirs: ours };
}

interface Edits {
  readonly own: readonly Splice[];
  readonly other: readonly Splice[];
}

/** Returns the splices of each side over the base. A region that both sides changed identically is in `own` only. */
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
      own.push(splitShared(splices, others));
      other.push(splitShared(others, splices));
    }
  }
  return { own: own.flat(), other: other.flat() };
}

/**
 * Returns the splices, some of them cut in two. A splice is cut when it inserts whole lines that one of `others`
 * inserts at the same place, and then more. Its first part is then the identical edit and is applied once. A rest with
 * the same text again is not cut off, because it would also count as an identical edit.
 */
function splitShared(splices: readonly Splice[], others: readonly Splice[]): Splice[] {
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
