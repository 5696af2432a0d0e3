import type { DiffRun } from "./myers.ts";
import type { Stretch } from "./stretch.ts";

interface Anchors {
  /** Elements that occur exactly once on each side, in an order that both sides share. */
  readonly unique: readonly DiffRun[];
  /** The indexes of all elements that occur on both sides. Filled only when `unique` is empty. */
  readonly sharedA: readonly number[];
  readonly sharedB: readonly number[];
}

/** Finds the anchors of stretches. One object serves many stretches: each call resets its counters. */
export class AnchorSearch {
  readonly #inA: Int32Array;
  readonly #inB: Int32Array;
  readonly #placeB: Int32Array;

  constructor(symbols: number) {
    this.#inA = new Int32Array(symbols);
    this.#inB = new Int32Array(symbols);
    this.#placeB = new Int32Array(symbols);
  }

  anchors(a: Int32Array, b: Int32Array, at: Stretch): Anchors {
    for (let i = at.a0; i < at.a1; i++) this.#inA[a[i]!]!++;
    for (let j = at.b0; j < at.b1; j++) {
      this.#inB[b[j]!]!++;
      this.#placeB[b[j]!] = j;
    }
    const once: DiffRun[] = [];
    for (let i = at.a0; i < at.a1; i++)
      if (this.#inA[a[i]!] === 1 && this.#inB[a[i]!] === 1)
        once.push({ a: i, b: this.#placeB[a[i]!]!, size: 1 });
    const sharedA = once.length > 0 ? [] : places(a, at.a0, at.a1, this.#inB);
    const sharedB = once.length > 0 ? [] : places(b, at.b0, at.b1, this.#inA);
    for (let i = at.a0; i < at.a1; i++) this.#inA[a[i]!] = 0;
    for (let j = at.b0; j < at.b1; j++) this.#inB[b[j]!] = 0;
    return { unique: longestRising(once), sharedA, sharedB };
  }
}

function places(symbols: Int32Array, from: number, to: number, counts: Int32Array): number[] {
  const out: number[] = [];
  for (let i = from; i < to; i++) if (counts[symbols[i]!]! > 0) out.push(i);
  return out;
}

/**
 * Returns the longest list of the runs that ascends in `b`, too (patience sorting, n log n). The runs ascend in `a`.
 */
function longestRising(runs: readonly DiffRun[]): DiffRun[] {
  const tops: number[] = []; // the index of the top run of each pile
  const before = new Int32Array(runs.length);
  for (let i = 0; i < runs.length; i++) {
    const { b } = runs[i]!;
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[tops[middle]!]!.b < b) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : tops[low - 1]!;
    tops[low] = i;
  }
  const out: DiffRun[] = [];
  for (let i = tops.at(-1) ?? -1; i >= 0; i = before[i]!) out.push(runs[i]!);
  return out.reverse();
}
