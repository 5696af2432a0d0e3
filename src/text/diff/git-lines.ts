import { StepBudget } from "./budget.ts";
import { diffLines } from "./diff.ts";
import { shortest } from "./middle.ts";
import { slide } from "./slide.ts";
import type { Stretch } from "./stretch.ts";

/** Steps of the search, on top of a share that grows with the number of lines. */
const STEPS = 4_000_000;
/** The number of lines examined on each side of a frequent line. */
const WINDOW = 100;
/** A frequent line counts as new when its new neighbours outnumber the frequent ones by this factor. */
const SHARE = 4;

/**
 * Returns the stretches in which two lists of lines differ, ascending and never touching, as `git merge-file` finds
 * them. Among equally short answers, git's choice decides the merge of two sides. Lists too different for a short
 * answer are aligned by `diffLines` instead.
 */
export function gitChanges(a: readonly string[], b: readonly string[]): Stretch[] {
  const symbols = new Map<string, number>();
  const sideA = new Side(a, symbols);
  const sideB = new Side(b, symbols);
  const { head, tail } = common(sideA.lines, sideB.lines);
  const placesA = sideA.compared(sideB, head, tail);
  const placesB = sideB.compared(sideA, head, tail);
  const budget = new StepBudget(STEPS + 8 * (a.length + b.length));
  const runs = shortest(
    Int32Array.from(placesA, (i) => sideA.lines[i]!),
    Int32Array.from(placesB, (j) => sideB.lines[j]!),
    budget,
  );
  if (runs === undefined) return diffLines(a, b);
  const matched = (places: readonly number[], side: "a" | "b") =>
    runs.flatMap((run) => places.slice(run[side], run[side] + run.size));
  const unchangedA = unchangedLines(matched(placesA, "a"), a.length, head, tail);
  const unchangedB = unchangedLines(matched(placesB, "b"), b.length, head, tail);
  const settled =
    slide(sideA.lines, unchangedA, unchangedB, budget) && slide(sideB.lines, unchangedB, unchangedA, budget);
  return settled ? between(unchangedA, unchangedB) : diffLines(a, b);
}

/** One list of lines as symbols: equal lines have equal numbers. It also counts the occurrences of each symbol. */
class Side {
  readonly lines: Int32Array;
  readonly #count = new Map<number, number>();

  constructor(lines: readonly string[], symbols: Map<string, number>) {
    this.lines = Int32Array.from(lines, (line) => {
      const symbol = symbols.get(line) ?? symbols.size;
      symbols.set(line, symbol);
      this.#count.set(symbol, (this.#count.get(symbol) ?? 0) + 1);
      return symbol;
    });
  }

  /**
   * Returns the indexes of the lines to compare, without the common head and tail: lines that the other side has, too.
   * A frequent line (blank, a brace) between lines that only this side has is left out.
   */
  compared(other: Side, head: number, tail: number): number[] {
    const end = this.lines.length - tail;
    const many = powerNearRoot(this.lines.length);
    const kinds = Uint8Array.from(this.lines.subarray(head, end), (line) => {
      const count = other.#count.get(line) ?? 0;
      return count === 0 ? NEW : count < many ? SHARED : FREQUENT;
    });
    const places: number[] = [];
    for (let i = 0; i < kinds.length; i++)
      if (kinds[i] === SHARED || (kinds[i] === FREQUENT && !amongNew(kinds, i))) places.push(head + i);
    return places;
  }
}

const NEW = 0;
const SHARED = 1;
const FREQUENT = 2;

/**
 * Returns the number of occurrences from which a line is frequent. It is a power of two near the square root of the
 * number of lines, at most 1024.
 */
function powerNearRoot(lines: number): number {
  let power = 1;
  for (let n = lines; n > 0; n = Math.floor(n / 4)) power *= 2;
  return Math.min(power, 1024);
}

/** Returns true for a frequent line whose neighbours on both sides, up to the next shared line, are mostly new. */
function amongNew(kinds: Uint8Array, at: number): boolean {
  const around = (step: 1 | -1) => {
    let fresh = 0;
    let frequent = 1;
    for (let n = 1; n <= WINDOW; n++) {
      const kind = kinds[at + n * step];
      if (kind === NEW) fresh++;
      else if (kind === FREQUENT) frequent++;
      else break;
    }
    return { fresh, frequent };
  };
  const before = around(-1);
  if (before.fresh === 0) return false;
  const after = around(1);
  if (after.fresh === 0) return false;
  const frequent = before.frequent + after.frequent;
  return frequent * SHARE < frequent + before.fresh + after.fresh;
}

/** Returns the numbers of equal lines at the beginnings and the ends of both lists. */
function common(a: Int32Array, b: Int32Array): { readonly head: number; readonly tail: number } {
  const limit = Math.min(a.length, b.length);
  let head = 0;
  while (head < limit && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < limit - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

/** Returns the indexes of all unchanged lines, between a leading -1 and a trailing `length`. */
function unchangedLines(matched: readonly number[], length: number, head: number, tail: number): Int32Array {
  const places = new Int32Array(head + matched.length + tail + 2);
  places[0] = -1;
  for (let i = 0; i < head; i++) places[1 + i] = i;
  places.set(matched, 1 + head);
  for (let i = 0; i <= tail; i++) places[places.length - 1 - i] = length - i;
  return places;
}

function between(unchangedA: Int32Array, unchangedB: Int32Array): Stretch[] {
  const out: Stretch[] = [];
  for (let k = 0; k + 1 < unchangedA.length; k++) {
    const change = {
      a0: unchangedA[k]! + 1,
      a1: unchangedA[k + 1]!,
      b0: unchangedB[k]! + 1,
      b1: unchangedB[k + 1]!,
    };
    if (change.a0 < change.a1 || change.b0 < change.b1) out.push(change);
  }
  return out;
}
