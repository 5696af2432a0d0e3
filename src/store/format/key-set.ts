import { filterOf, keyHash, mayHave } from "./key-filter.ts";
import { numberedOf } from "./numbered-text.ts";

/** Numbers as ranges: the first number of each, and the one after its last, in their order. */
type Bounds = readonly number[];

/**
 * The keys of a pack, as it is stored. Keys that a client counts are ranges of numbers, by what comes before the number.
 * All others are in a filter. Packs of schemas before 11 have all keys in the filter.
 */
export interface StoredKeys {
  readonly numbered?: readonly (readonly [beginning: string, bounds: Bounds])[];
  readonly filter: Uint8Array;
}

/** The fewest keys that a range has, on average of those with the same beginning: a filter takes four bytes a key. */
const WORTH_RANGES = 8;

/** A key that is looked for in many sets. */
export class SoughtKey {
  readonly #key: string;
  readonly numbered: ReturnType<typeof numberedOf>;
  #hash: Uint32Array | undefined;

  constructor(key: string) {
    this.#key = key;
    this.numbered = numberedOf(key);
  }

  get hash(): Uint32Array {
    this.#hash ??= keyHash(this.#key);
    return this.#hash;
  }
}

/** Recognizes most keys that are not in a pack, and of counted keys all. */
export class KeySet {
  readonly #numbered: ReadonlyMap<string, Bounds>;
  readonly #filter: Uint8Array;

  constructor({ numbered = [], filter }: StoredKeys) {
    this.#numbered = new Map(numbered);
    this.#filter = new Uint8Array(filter); // a copy, because the other bytes of a decoded pack would stay with it
  }

  /** Returns false for a key that is not in the pack. */
  mayHave(key: SoughtKey): boolean {
    const bounds = key.numbered && this.#numbered.get(key.numbered.beginning);
    if (bounds !== undefined) return isWithin(bounds, key.numbered!.number);
    return this.#filter.length > 0 && mayHave(this.#filter, key.hash);
  }
}

export function storedKeysOf(keys: readonly string[]): Required<StoredKeys> {
  const others: string[] = [];
  const counted = new Map<string, { readonly keys: string[]; readonly numbers: number[] }>();
  for (const key of keys) {
    const parts = numberedOf(key);
    if (parts === undefined) {
      others.push(key);
      continue;
    }
    const { beginning, number } = parts;
    const alike = counted.get(beginning) ?? { keys: [], numbers: [] };
    counted.set(beginning, alike);
    alike.keys.push(key);
    alike.numbers.push(number);
  }
  const numbered: [string, Bounds][] = [];
  for (const [beginning, alike] of counted) {
    const bounds = boundsOf(alike.numbers);
    if (alike.numbers.length >= WORTH_RANGES * (bounds.length / 2)) numbered.push([beginning, bounds]);
    else others.push(...alike.keys);
  }
  return { numbered, filter: filterOf(others) };
}

function boundsOf(numbers: readonly number[]): Bounds {
  const bounds: number[] = [];
  for (const number of Float64Array.from(numbers).sort())
    if (bounds.at(-1) === number) bounds[bounds.length - 1] = number + 1;
    else bounds.push(number, number + 1);
  return bounds;
}

/** Returns true if the number of bounds that are not above a number is odd. */
function isWithin(bounds: Bounds, number: number): boolean {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bounds[middle]! <= number) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}
