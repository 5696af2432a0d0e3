import { align } from "./align.ts";
import type { StepBudget } from "./budget.ts";
import { keptChanges, type WordLine } from "./kept.ts";
import { type DiffRun, walk } from "./myers.ts";
import { pairLines } from "./pair-lines.ts";
import { likeness, signatureOf } from "./similar.ts";
import { inkOf, spaceChanges } from "./space.ts";
import { core, isOneSided, joinWeak, type Stretch, shift } from "./stretch.ts";
import { isWordEdge, splitWords, startsOf } from "./words.ts";

/** Fewer unchanged characters than this between two changes are chance. Between words, white space does not count. */
const ANCHOR = 3;
/** Two lines that share less than this part of their characters are replaced in one piece. */
const SHARE = 0.35;
/** The most edits of the character search: in total, and for each character. */
const MAX_EDITS = 256;
const EDITS_PER_CHAR = 0.4;
/**
 * Words longer than this together are searched only if their likeness reaches `UNLIKE`; below it the search is futile.
 */
const LONG = 40;
const UNLIKE = 0.25;
/** Blocks up to this size, both sides together, are also compared as one text without regard to their lines. */
const SPLIT_UNITS = 4000;

/**
 * Returns the changes, in UTF-16 indexes, between replaced lines and their replacements. Two versions of one line are
 * compared word by word, and changed words character by character. All other lines are replaced whole.
 */
export function refine(a: readonly string[], b: readonly string[], budget: StepBudget): Stretch[] {
  const textA = a.join("");
  const textB = b.join("");
  if (a.length === 0 || b.length === 0) return [core(textA, textB)];
  const spaced = spaceChanges(textA, textB);
  if (spaced !== undefined) return spaced;
  if (a.length === 1 && b.length === 1) return refineLine(textA, textB, budget);
  const paired = refinePairs(a, b, textA, textB, budget);
  if (a.length === b.length || textA.length + textB.length > SPLIT_UNITS) return paired;
  // As one text, a split line or two joined lines may differ by much less.
  const joined = refineLine(textA, textB, budget);
  return sizeOfAll(joined) < sizeOfAll(paired) ? joined : paired;
}

function refinePairs(
  a: readonly string[],
  b: readonly string[],
  textA: string,
  textB: string,
  budget: StepBudget,
): Stretch[] {
  const startsA = startsOf(a);
  const startsB = startsOf(b);
  const out: Stretch[] = [];
  let at = { a: 0, b: 0 };
  for (const pair of [...pairLines(a, b, budget), { a: a.length, b: b.length }]) {
    const rest = { a0: startsA[at.a]!, a1: startsA[pair.a]!, b0: startsB[at.b]!, b1: startsB[pair.b]! };
    if (rest.a0 < rest.a1 || rest.b0 < rest.b1) out.push(coreOf(textA, textB, rest));
    if (pair.a === a.length) break;
    for (const change of refineLine(a[pair.a]!, b[pair.b]!, budget))
      out.push(shift(change, rest.a1, rest.b1));
    at = { a: pair.a + 1, b: pair.b + 1 };
  }
  return out;
}

function refineLine(a: string, b: string, budget: StepBudget): Stretch[] {
  const whole = core(a, b);
  const changes = wordChanges(a, b, whole, budget).flatMap((change) => charChanges(a, b, change, budget));
  if (changes.every(({ a0, a1 }) => a0 === a1) || changes.every(({ b0, b1 }) => b0 === b1)) return changes;
  // A replaced word that is still there would be there twice once another edit replaced it, too.
  // Of two different texts of one length, neither has all words of the other.
  const kept = a.length === b.length ? undefined : keptChanges(wordLine(a), wordLine(b));
  if (kept !== undefined) return kept;
  if (changes.length < 2) return changes;
  const changed = changes.reduce((sum, s) => sum + inkOf(a, s.a0, s.a1) + inkOf(b, s.b0, s.b1), 0);
  const ink = inkOf(a) + inkOf(b);
  return ink - changed < SHARE * ink ? [whole] : changes;
}

function wordLine(text: string): WordLine {
  return { text, words: splitWords(text) };
}

function coreOf(a: string, b: string, at: Stretch): Stretch {
  return shift(core(a.slice(at.a0, at.a1), b.slice(at.b0, at.b1)), at.a0, at.b0);
}

/** Returns the changes in whole words, so that an inserted word is not the end of one word and the start of another. */
function wordChanges(a: string, b: string, whole: Stretch, budget: StepBudget): Stretch[] {
  let { a0, a1, b0, b1 } = whole;
  while (!isWordEdge(a, a0) || !isWordEdge(b, b0)) {
    a0--;
    b0--;
  }
  while (!isWordEdge(a, a1) || !isWordEdge(b, b1)) {
    a1++;
    b1++;
  }
  const wordsA = splitWords(a.slice(a0, a1));
  const wordsB = splitWords(b.slice(b0, b1));
  if (wordsA.length === 1 && wordsB.length === 1) return [{ a0, a1, b0, b1 }];
  const startsA = startsOf(wordsA);
  const startsB = startsOf(wordsB);
  const changes = align(wordsA, wordsB, budget).map((s) => ({
    a0: a0 + startsA[s.a0]!,
    a1: a0 + startsA[s.a1]!,
    b0: b0 + startsB[s.b0]!,
    b1: b0 + startsB[s.b1]!,
  }));
  return joinWeak(changes, (left, right) => inkOf(a, left.a1, right.a0) < ANCHOR);
}

/** Returns the changes in characters within replaced words. */
function charChanges(a: string, b: string, words: Stretch, budget: StepBudget): Stretch[] {
  if (isOneSided(words)) return [words];
  const at = coreOf(a, b, words);
  const n = at.a1 - at.a0;
  const m = at.b1 - at.b0;
  if (n < ANCHOR || m < ANCHOR) return [at];
  if (
    n + m > LONG &&
    likeness(signatureOf(a.slice(at.a0, at.a1)), signatureOf(b.slice(at.b0, at.b1))) < UNLIKE
  )
    return [at];
  const most = Math.min(MAX_EDITS, Math.ceil(EDITS_PER_CHAR * (n + m)));
  const found = walk(
    units(a, at.a0, at.a1),
    units(b, at.b0, at.b1),
    { a0: 0, a1: n, b0: 0, b1: m },
    most,
    budget,
  );
  if (found.a < n || found.b < m) return [at];
  const changes: Stretch[] = [];
  let { a0, b0 } = at;
  for (const run of [...found.runs.map((r) => wholeChars(a, at, r)), { a: at.a1, b: at.b1, size: 0 }]) {
    if (run.a > a0 || run.b > b0) changes.push({ a0, a1: run.a, b0, b1: run.b });
    a0 = run.a + run.size;
    b0 = run.b + run.size;
  }
  return joinWeak(changes, (left, right) => {
    const unchanged = right.a0 - left.a1;
    return unchanged < ANCHOR || (unchanged <= sizeOf(left) && unchanged <= sizeOf(right));
  });
}

/** Returns the number of characters removed and inserted. */
export function sizeOfAll(changes: readonly Stretch[]): number {
  return changes.reduce((sum, { a0, a1, b0, b1 }) => sum + a1 - a0 + b1 - b0, 0);
}

function sizeOf({ a0, a1, b0, b1 }: Stretch): number {
  return Math.max(a1 - a0, b1 - b0);
}

function units(s: string, from: number, to: number): Int32Array {
  const out = new Int32Array(to - from);
  for (let i = from; i < to; i++) out[i - from] = s.charCodeAt(i);
  return out;
}

/** Returns a run in the string's own indexes, without half characters whose other half differs. */
function wholeChars(a: string, at: Stretch, run: DiffRun): DiffRun {
  const from = at.a0 + run.a;
  const first = (a.charCodeAt(from) & 0xfc00) === 0xdc00 ? 1 : 0;
  const last = (a.charCodeAt(from + run.size - 1) & 0xfc00) === 0xd800 ? 1 : 0;
  return { a: from + first, b: at.b0 + run.b + first, size: Math.max(0, run.size - first - last) };
}
