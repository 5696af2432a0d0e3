import { countChars } from "../../text/positions.ts";
import { deflated, inflated, squeezed } from "./deflated.ts";
import { differences, numbersOf, varintsOf } from "./varints.ts";

/** The splices of one entry of the history. */
export interface EntrySplices {
  readonly size: number;
  /** The beginning of each splice, as the distance from the splice before. */
  readonly at: readonly number[];
  readonly inserted: readonly string[];
  readonly removed: readonly string[];
}

/** The splices of many entries, as columns in a short form. */
export interface SpliceColumns {
  /** The number of splices of each entry. */
  readonly counts: Uint8Array;
  /** The end of what a splice removes, as the distance from the end of what the one before it inserted: mostly 0. */
  readonly places: Uint8Array;
  /** The UTF-16 units that a splice removes and inserts, in one number: a typed character has few pairs of them. */
  readonly sizes: Uint8Array;
  /** The units of each longer insert. */
  readonly longer: Uint8Array;
  /** For each splice, the text that it removes and the one that it inserts, one after the other. */
  readonly texts: Uint8Array;
}

/** The units of an insert from which they are a number of their own. */
const LONGER = 15;

export function spliceColumns(entries: readonly EntrySplices[]): SpliceColumns {
  const places: number[] = [];
  const sizes: number[] = [];
  const longer: number[] = [];
  const texts: string[] = [];
  let cursor = 0;
  for (const { at, inserted, removed } of entries) {
    let from = 0;
    for (let i = 0; i < at.length; i++) {
      const insert = inserted[i]!;
      const gone = removed[i]!;
      from += at[i]!;
      places.push(from + countChars(gone) - cursor);
      cursor = from + countChars(insert);
      sizes.push(gone.length * (LONGER + 1) + Math.min(insert.length, LONGER));
      if (insert.length >= LONGER) longer.push(insert.length);
      texts.push(gone, insert);
    }
  }
  const numbers = (values: readonly number[]) => deflated(varintsOf(values));
  return {
    counts: numbers(entries.map(({ size }) => size)),
    places: numbers(places),
    sizes: numbers(sizes),
    longer: numbers(longer),
    texts: squeezed(Buffer.from(texts.join(""))),
  };
}

/** Returns the splices of the entries, which are cut out only when a caller reads them. */
export function splicesIn(columns: SpliceColumns): EntrySplices[] {
  const [counts, places, sizes, longer] = [columns.counts, columns.places, columns.sizes, columns.longer].map(
    (bytes) => numbersOf(inflated(bytes)),
  ) as [number[], number[], number[], number[]];
  const texts = new Pieces(columns.texts, 2 * sizes.length);
  const from: number[] = [];
  let nextLonger = 0;
  let cursor = 0;
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i]!;
    const short = size % (LONGER + 1);
    from.push(places[i]! + cursor - texts.add((size - short) / (LONGER + 1)));
    cursor = from[i]! + texts.add(short < LONGER ? short : longer[nextLonger++]!);
  }
  let next = 0;
  return counts.map((count) => {
    const start = next;
    next += count;
    return new PackedSplices({ start, end: next, from, texts });
  });
}

/** Texts that follow one another in one. */
class Pieces {
  readonly #text: string;
  /** True for a text whose UTF-16 units are code points. */
  readonly #isPlain: boolean;
  /** The end of each piece. */
  readonly #ends: Uint32Array;
  #count = 0;
  #end = 0;

  constructor(bytes: Uint8Array, count: number) {
    this.#text = inflated(bytes).toString();
    this.#isPlain = !SURROGATE.test(this.#text);
    this.#ends = new Uint32Array(count);
  }

  /** Adds the next piece, of so many UTF-16 units. Returns its code points. */
  add(length: number): number {
    this.#end += length;
    this.#ends[this.#count++] = this.#end;
    return this.#isPlain || length < 2 ? length : countChars(this.#piece(this.#count - 1));
  }

  /** Returns every second piece from one on, up to another. */
  alternate(start: number, end: number): string[] {
    const pieces: string[] = [];
    for (let i = start; i < end; i += 2) pieces.push(this.#piece(i));
    return pieces;
  }

  #piece(i: number): string {
    return this.#text.slice(i === 0 ? 0 : this.#ends[i - 1], this.#ends[i]);
  }
}

const SURROGATE = /[\ud800-\udfff]/;

interface Place {
  readonly start: number;
  readonly end: number;
  /** The beginnings of the splices of all entries. */
  readonly from: readonly number[];
  /** For each splice, the removed text and the inserted one. */
  readonly texts: Pieces;
}

class PackedSplices implements EntrySplices {
  readonly #place: Place;
  #at: readonly number[] | undefined;
  #inserted: readonly string[] | undefined;
  #removed: readonly string[] | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  get size(): number {
    return this.#place.end - this.#place.start;
  }

  get at(): readonly number[] {
    const { start, end, from } = this.#place;
    this.#at ??= differences(from.slice(start, end));
    return this.#at;
  }

  get inserted(): readonly string[] {
    const { start, end, texts } = this.#place;
    this.#inserted ??= texts.alternate(2 * start + 1, 2 * end);
    return this.#inserted;
  }

  get removed(): readonly string[] {
    const { start, end, texts } = this.#place;
    this.#removed ??= texts.alternate(2 * start, 2 * end);
    return this.#removed;
  }
}
