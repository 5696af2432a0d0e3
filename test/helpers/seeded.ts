import type { RandomBytes } from "../../src/doc/peers.ts";

/** Random numbers that the same seed repeats (mulberry32). */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Continues as a generator made with this seed. */
  restart(seed: number): void {
    this.#state = seed >>> 0;
  }

  /** Returns a whole number from 0 up to 2^32, exclusive. */
  word(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  }

  /** Returns a whole number in `0..n-1`. */
  int(n: number): number {
    return Math.floor((this.word() / 2 ** 32) * n);
  }

  /** Returns a whole number in `from..to`, both included. */
  between(from: number, to: number): number {
    return from + this.int(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.word() / 2 ** 32 < probability;
  }

  /** Returns one of the entries. @throws RangeError when there is none */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("nothing to pick from");
    return items[this.int(items.length)]!;
  }

  /** Returns one of the entries, with a probability by its weight. */
  weighted<T>(entries: readonly (readonly [weight: number, value: T])[]): T {
    let left = (this.word() / 2 ** 32) * entries.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of entries) {
      left -= weight;
      if (left < 0) return value;
    }
    return entries.at(-1)![1];
  }

  readonly bytes: RandomBytes = (size) => Uint8Array.from({ length: size }, () => this.word() & 0xff);
}

/** Returns a seed for the n-th part of a run, so that no part depends on the draws of another. */
export function partOf(seed: number, n: number): number {
  return new Seeded(seed ^ Math.imul(n + 1, 0x9e3779b1)).word();
}
