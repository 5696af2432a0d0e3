import { AnchorSearch } from "./anchors.ts";
import type { StepBudget } from "./budget.ts";
import { type DiffRun, walk } from "./myers.ts";
import { settle } from "./settle.ts";
import type { Stretch } from "./stretch.ts";

/** The most edits of one Myers search. Beyond it, the search stops at the best point reached and restarts there. */
const MAX_EDITS = 128;

/** Two sequences as numbers below `count`: equal elements have equal numbers. */
export interface Symbols {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly count: number;
}

/**
 * Aligns two sequences of strings: it anchors on strings that are unique on both sides (patience), then runs Myers
 * between the anchors. Returns the stretches that differ, ascending and never touching. When the budget ends, every
 * part not yet compared counts as different.
 */
export function align(a: readonly string[], b: readonly string[], budget: StepBudget): Stretch[] {
  const known = new Map<string, number>();
  const symbols = { a: intern(a, known), b: intern(b, known) };
  return alignSymbols({ ...symbols, count: known.size }, budget);
}

/** Aligns two sequences of numbers, as `align` does. */
export function alignSymbols({ a, b, count }: Symbols, budget: StepBudget): Stretch[] {
  return new Alignment(a, b, count, budget).done();
}

function intern(parts: readonly string[], symbols: Map<string, number>): Int32Array {
  const out = new Int32Array(parts.length);
  for (let i = 0; i < parts.length; i++) {
    let symbol = symbols.get(parts[i]!);
    if (symbol === undefined) {
      symbol = symbols.size;
      symbols.set(parts[i]!, symbol);
    }
    out[i] = symbol;
  }
  return out;
}

class Alignment {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #budget: StepBudget;
  readonly #anchors: AnchorSearch;
  /** For each element of `a`, the index of the equal element in `b`, or -1. */
  readonly #partner: Int32Array;
  readonly #work: Stretch[];

  constructor(a: Int32Array, b: Int32Array, symbols: number, budget: StepBudget) {
    this.#a = a;
    this.#b = b;
    this.#budget = budget;
    this.#anchors = new AnchorSearch(symbols);
    this.#partner = new Int32Array(a.length).fill(-1);
    this.#work = [{ a0: 0, a1: a.length, b0: 0, b1: b.length }];
  }

  done(): Stretch[] {
    for (let whole = this.#work.pop(); whole !== undefined; whole = this.#work.pop()) {
      const at = this.#trim(whole);
      if (at.a0 === at.a1 || at.b0 === at.b1) continue;
      const size = at.a1 - at.a0 + at.b1 - at.b0;
      if (!this.#budget.spend(size) || size === 2) continue; // two single elements differ
      const { unique, sharedA, sharedB } = this.#anchors.anchors(this.#a, this.#b, at);
      if (unique.length > 0) this.#split(unique, at);
      else if (sharedA.length > 0) this.#search(sharedA, sharedB);
    }
    return settle(this.#differences(), this.#a, this.#b);
  }

  #pair({ a, b, size }: DiffRun): void {
    for (let i = 0; i < size; i++) this.#partner[a + i] = b + i;
  }

  /** Pairs the equal head and tail of a stretch and returns the part between them. */
  #trim(at: Stretch): Stretch {
    let { a0, a1, b0, b1 } = at;
    while (a0 < a1 && b0 < b1 && this.#a[a0] === this.#b[b0]) {
      a0++;
      b0++;
    }
    while (a0 < a1 && b0 < b1 && this.#a[a1 - 1] === this.#b[b1 - 1]) {
      a1--;
      b1--;
    }
    this.#pair({ a: at.a0, b: at.b0, size: a0 - at.a0 });
    this.#pair({ a: a1, b: b1, size: at.a1 - a1 });
    return { a0, a1, b0, b1 };
  }

  /** Pairs the anchors and queues the stretches between them. */
  #split(anchors: readonly DiffRun[], at: Stretch): void {
    let { a0, b0 } = at;
    for (const run of [...anchors, { a: at.a1, b: at.b1, size: 0 }]) {
      if (run.a > a0 && run.b > b0) this.#work.push({ a0, a1: run.a, b0, b1: run.b });
      this.#pair(run);
      a0 = run.a + run.size;
      b0 = run.b + run.size;
    }
  }

  /** Runs Myers over the elements that occur on both sides, given by their indexes. */
  #search(placesA: readonly number[], placesB: readonly number[]): void {
    const a = Int32Array.from(placesA, (i) => this.#a[i]!);
    const b = Int32Array.from(placesB, (j) => this.#b[j]!);
    let at: Stretch = { a0: 0, a1: a.length, b0: 0, b1: b.length };
    while (at.a0 < at.a1 && at.b0 < at.b1 && this.#budget.spend(1)) {
      const found = walk(a, b, at, MAX_EDITS, this.#budget);
      for (const run of found.runs)
        for (let i = 0; i < run.size; i++)
          this.#pair({ a: placesA[run.a + i]!, b: placesB[run.b + i]!, size: 1 });
      at = { ...at, a0: found.a, b0: found.b };
    }
  }

  #differences(): Stretch[] {
    const out: Stretch[] = [];
    let a0 = 0;
    let b0 = 0;
    for (let i = 0; i <= this.#partner.length; i++) {
      const j = i === this.#partner.length ? this.#b.length : this.#partner[i]!;
      if (j < 0) continue;
      if (i > a0 || j > b0) out.push({ a0, a1: i, b0, b1: j });
      a0 = i + 1;
      b0 = j + 1;
    }
    return out;
  }
}
