import { countChars, hasNoPairs } from "../positions.ts";
import { normalize, type Splice } from "../splice.ts";
import { align, alignSymbols } from "./align.ts";
import { acrossBlank, wholeOf } from "./blank-gaps.ts";
import { StepBudget } from "./budget.ts";
import { commonHead, commonTail } from "./ends.ts";
import { type CutText, cutLines, linesOf, symbolsOf } from "./line-symbols.ts";
import { refine, sizeOfAll } from "./refine.ts";
import { type Stretch, shift } from "./stretch.ts";

/** Steps allowed on top of a share that grows with the text. Beyond them the answer gets coarser. */
const STEPS = 4_000_000;

/**
 * Returns the splices (code points of `base`) that turn `base` into `updated`: ascending, never touching, and as small
 * as stays readable. It compares lines first, then words and characters inside changed lines. A copy of a line counts
 * as inserted after the original. The work is bounded: beyond the bound, whole lines are replaced, then the whole
 * range in one splice.
 */
export function diff(base: string, updated: string): Splice[] {
  if (base === updated) return [];
  const { head, tail } = commonLines(base, updated);
  const a = cutLines(base, head, base.length - tail);
  const b = cutLines(updated, head, updated.length - tail);
  const budget = new StepBudget(STEPS + 2 * (base.length + updated.length - 2 * (head + tail)));
  const refined = ({ a0, a1, b0, b1 }: Stretch) =>
    refine(linesOf(a, a0, a1), linesOf(b, b0, b1), budget).map((change) =>
      shift(change, a.starts[a0]!, b.starts[b0]!),
    );
  const changes: Stretch[] = [];
  for (const group of acrossBlank(changedLines(a, b), a)) {
    const apart = group.flatMap(refined);
    const joined = group.length > 1 ? refined(wholeOf(group)) : apart;
    for (const change of sizeOfAll(joined) < sizeOfAll(apart) ? joined : apart) changes.push(change);
  }
  return toSplices(base, updated, changes);
}

/** Returns the stretches in which two lists of lines differ, ascending and never touching, in indexes of the lists. */
export function diffLines(a: readonly string[], b: readonly string[]): Stretch[] {
  return align(a, b, alignmentBudget(a.length + b.length));
}

/** As `diffLines`. A line has nothing to be aligned with but the one line of the other text. */
function changedLines(a: CutText, b: CutText): Stretch[] {
  const [inA, inB] = [a.starts.length - 1, b.starts.length - 1];
  if (inA <= 1 && inB <= 1) return [{ a0: 0, a1: inA, b0: 0, b1: inB }];
  return alignSymbols(symbolsOf(a, b), alignmentBudget(inA + inB));
}

function alignmentBudget(lines: number): StepBudget {
  return new StepBudget(STEPS + 8 * lines);
}

/** Returns the sizes of the common head and tail of two texts, in whole lines. */
function commonLines(a: string, b: string): { readonly head: number; readonly tail: number } {
  const units = commonHead(a, b);
  const head = units === 0 ? 0 : a.lastIndexOf("\n", units - 1) + 1;
  let tail = commonTail(a, b, head);
  if (!startsLine(a, a.length - tail) || !startsLine(b, b.length - tail)) {
    const end = a.indexOf("\n", a.length - tail);
    tail = end < 0 ? 0 : a.length - end - 1;
  }
  return { head, tail };
}

function startsLine(s: string, at: number): boolean {
  return at === 0 || s.charCodeAt(at - 1) === 10;
}

/** Converts changes in UTF-16 indexes into splices in code points. */
function toSplices(base: string, updated: string, changes: readonly Stretch[]): Splice[] {
  const isPlain = hasNoPairs(base);
  let chars = 0;
  let at = 0;
  const position = (index: number) => {
    chars += isPlain ? index - at : countChars(base.slice(at, index));
    at = index;
    return chars;
  };
  return normalize(
    changes.map(({ a0, a1, b0, b1 }) => ({
      from: position(a0),
      to: position(a1),
      insert: updated.slice(b0, b1),
    })),
  );
}

/** Returns the splices that turn `base`, which begins at position `at` of a longer text, into `updated`. */
export function diffAt(at: number, base: string, updated: string): Splice[] {
  if (base === "" && updated === "") return [];
  if (base === "" || updated === "") return [{ from: at, to: at + countChars(base), insert: updated }];
  return diff(base, updated).map(({ from, to, insert }) => ({ from: from + at, to: to + at, insert }));
}
