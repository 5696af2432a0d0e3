import type { DiffRun } from "./myers.ts";
import type { Stretch } from "./stretch.ts";

interface Anchors {
  /** Elements that occur exactly once on each side, in an order that both sides share; neighbours are one run. */
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
    const once: number[] = [];
    for (let i = at.a0; i < at.a1; i++) if (this.#inA[a[i]!] === 1 && this.#inB[a[i]!] === 1) once.push(i);
    const sharedA = once.length > 0 ? [] : places(a, at.a0, at.a1, this.#inB);
    const sharedB = once.length > 0 ? [] : places(b, at.b0, at.b1, this.#inA);
    for (let i = at.a0; i < at.a1; i++) this.#inA[a[i]!] = 0;
    for (let j = at.b0; j < at.b1; j++) this.#inB[b[j]!] = 0;
    const partners = once.map((i) => this.#placeB[a[i]!]!);
    return { unique: longestRising(once, partners), sharedA, sharedB };
  }
}

function places(symbols: Int32Array, from: number, to: number, counts: Int32Array): number[] {
  const out: number[] = [];
  for (let i = from; i < to; i++) if (counts[symbols[i]!]! > 0) out.push(i);
  return out;
}

/**
 * Returns the longest list of elements of one sequence whose partners in the other ascend as they do (patience sorting,
 * n log n), as runs of neighbours.
 */
function longestRising(elements: readonly number[], partners: readonly number[]): DiffRun[] {
  const tops: number[] = []; // the index of the top element of each pile
  const before = new Int32Array(elements.length);
  for (let i = 0; i < elements.length; i++) {
    const pile = pileOf(partners[i]!, tops, partners);
    before[i] = pile === 0 ? -1 : tops[pile - 1]!;
    tops[pile] = i;
  }
  const runs: DiffRun[] = [];
  let size = 0;
  for (let i = tops.at(-1) ?? -1; i >= 0; i = before[i]!) {
    size++;
    const a = elements[i]!;
    const b = partners[i]!;
    const last = before[i]!;
    if (last >= 0 && elements[last] === a - 1 && partners[last] === b - 1) continue;
    runs.push({ a, b, size });
    size = 0;
  }
  return runs.reverse();
}

/** Returns the first pile whose top does not have a lower partner; mostly a new one, where little has moved. */
function pileOf(partner: number, tops: readonly number[], partners: readonly number[]): number {
  if (tops.length === 0 || partners[tops.at(-1)!]! < partner) return tops.length;
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (partners[tops[middle]!]! < partner) low = middle + 1;
    else high = middle;
  }
  return low;
}
