import { align } from "./align.ts";
import type { StepBudget } from "./budget.ts";
import { keptChanges, type WordLine } from "./kept.ts";
import { likeness, type Signature, signatureOf } from "./similar.ts";
import { withoutSpace } from "./space.ts";
import type { Stretch } from "./stretch.ts";
import { splitWords } from "./words.ts";

/** A pair: line `a` of the old lines became line `b` of the new ones. */
interface LinePair {
  readonly a: number;
  readonly b: number;
}

/** The least likeness of two versions of one line. */
const ALIKE = 0.4;
/** The most pairs of an old and a new line that are compared directly. */
const CELLS = 1600;
/** The approximate cost of comparing two lines, in steps of the budget; each of their words adds one. */
const COMPARISON = 50;

/** A changed line, prepared for comparisons with many others. */
interface Line extends WordLine {
  readonly signature: Signature;
}

/**
 * Pairs changed lines that are versions of each other, ascending on both sides. A small region is paired by likeness,
 * a larger one by equality without white space and then by line number.
 */
export function pairLines(a: readonly string[], b: readonly string[], budget: StepBudget): LinePair[] {
  if (a.length === 1 && b.length === 1) return [{ a: 0, b: 0 }];
  if (a.length * b.length <= CELLS) return bestPairs(a, b, budget);
  const gaps = align(a.map(withoutSpace), b.map(withoutSpace), budget);
  const pairs: LinePair[] = [];
  let at = { a: 0, b: 0 };
  for (const gap of [...gaps, { a0: a.length, a1: a.length, b0: b.length, b1: b.length }]) {
    for (let i = 0; at.a + i < gap.a0; i++) pairs.push({ a: at.a + i, b: at.b + i });
    for (const pair of pairGap(a, b, gap, budget)) pairs.push(pair);
    at = { a: gap.a1, b: gap.b1 };
  }
  return pairs;
}

function pairGap(a: readonly string[], b: readonly string[], gap: Stretch, budget: StepBudget): LinePair[] {
  const old = a.slice(gap.a0, gap.a1);
  const now = b.slice(gap.b0, gap.b1);
  const pairs =
    old.length * now.length <= CELLS
      ? bestPairs(old, now, budget)
      : old.length === now.length
        ? samePlace(old, now, budget)
        : [];
  return pairs.map((pair) => ({ a: pair.a + gap.a0, b: pair.b + gap.b0 }));
}

function samePlace(a: readonly string[], b: readonly string[], budget: StepBudget): LinePair[] {
  if (!budget.spend(a.length * COMPARISON)) return [];
  const [left, right] = [a.map(lineOf), b.map(lineOf)];
  return left
    .map((_, i) => ({ a: i, b: i }))
    .filter(({ a: i }) => likenessOf(left[i]!, right[i]!, budget) >= ALIKE);
}

/** Returns the pairs with the greatest sum of likeness; among equal sums it pairs the earlier lines. */
function bestPairs(a: readonly string[], b: readonly string[], budget: StepBudget): LinePair[] {
  if (!budget.spend(a.length * b.length * COMPARISON)) return [];
  const left = a.map(lineOf);
  const right = b.map(lineOf);
  const width = b.length + 1;
  const alike = new Float64Array((a.length + 1) * width);
  const sum = new Float64Array((a.length + 1) * width); // the best sum from line i and line j on
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const cell = i * width + j;
      const value = likenessOf(left[i]!, right[j]!, budget);
      alike[cell] = value;
      const paired = value >= ALIKE ? value + sum[cell + width + 1]! : 0;
      sum[cell] = Math.max(paired, sum[cell + width]!, sum[cell + 1]!);
    }
  }
  const pairs: LinePair[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const cell = i * width + j;
    if (alike[cell]! >= ALIKE && sum[cell] === alike[cell]! + sum[cell + width + 1]!) {
      pairs.push({ a: i++, b: j++ });
    } else if (sum[cell] === sum[cell + width]) i++;
    else j++;
  }
  return pairs;
}

function lineOf(text: string): Line {
  return { text, words: splitWords(text), signature: signatureOf(text) };
}

/** Returns the likeness of two lines, from 0 to 1. If one has all of the other's text, it is 1 at any length. */
function likenessOf(a: Line, b: Line, budget: StepBudget): number {
  const isKept = budget.spend(a.words.length + b.words.length) && keptChanges(a, b) !== undefined;
  return isKept ? 1 : likeness(a.signature, b.signature);
}
