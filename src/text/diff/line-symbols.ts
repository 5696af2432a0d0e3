import type { Symbols } from "./align.ts";

/** The lines of a text from an index on, by where each of them starts, followed by the end of the last. */
export interface CutText {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Cuts a part of a text after every `\n`, as `splitLines` does, without a string for each line. */
export function cutLines(text: string, from: number, to: number): CutText {
  const starts = [from];
  for (let end = text.indexOf("\n", from); end >= 0 && end + 1 < to; end = text.indexOf("\n", end + 1))
    starts.push(end + 1);
  if (from < to) starts.push(to);
  return { text, starts };
}

/** Returns lines `from..to` of a cut text. */
export function linesOf(cut: CutText, from: number, to: number): string[] {
  const lines: string[] = [];
  for (let i = from; i < to; i++) lines.push(lineOf(cut, i));
  return lines;
}

function lineOf({ text, starts }: CutText, index: number): string {
  return text.slice(starts[index], starts[index + 1]);
}

/** Odd, and different in each process: nobody can write a text whose lines all meet in one slot. */
const FACTOR = crypto.getRandomValues(new Int32Array(1))[0]! | 1;

/** Numbers the lines of two texts. A `Map` of strings takes twice as long: it needs a string for each line. */
export function symbolsOf(a: CutText, b: CutText): Symbols {
  const table = new Table(countOf(a) + countOf(b));
  const ofA = new Int32Array(countOf(a));
  for (let i = 0; i < ofA.length; i++) ofA[i] = table.symbolOf(a, i);
  const ofB = new Int32Array(countOf(b));
  let next = 0; // the line of `a` that the next line of `b` probably is
  for (let j = 0; j < ofB.length; j++) {
    if (next >= ofA.length || !isSame(a, next, b, j)) {
      const symbol = table.symbolOf(b, j);
      ofB[j] = symbol;
      next = table.placeIn(a, symbol) ?? next;
    } else ofB[j] = ofA[next]!;
    next++;
  }
  return { a: ofA, b: ofB, count: table.count };
}

function countOf({ starts }: CutText): number {
  return starts.length - 1;
}

function isSame(a: CutText, i: number, b: CutText, j: number): boolean {
  const size = a.starts[i + 1]! - a.starts[i]!;
  return size === b.starts[j + 1]! - b.starts[j]! && lineOf(a, i) === lineOf(b, j);
}

/** A hash table of lines. Each of its slots is -1, or the number of a line. */
class Table {
  count = 0;
  readonly #slots: Int32Array;
  readonly #hashes: Int32Array;
  /** The text of each number, and the index of its first line there. */
  readonly #texts: CutText[] = [];
  readonly #places: Int32Array;

  constructor(lines: number) {
    this.#slots = new Int32Array(2 << (32 - Math.clz32(lines))).fill(-1);
    this.#hashes = new Int32Array(lines);
    this.#places = new Int32Array(lines);
  }

  /** Returns the number of a line, which may be new. */
  symbolOf(cut: CutText, index: number): number {
    const hash = hashOf(cut.text, cut.starts[index]!, cut.starts[index + 1]!);
    const last = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & last; ; slot = (slot + 1) & last) {
      const symbol = this.#slots[slot]!;
      if (symbol < 0) return this.#add(slot, hash, cut, index);
      const isHere = this.#hashes[symbol] === hash;
      if (isHere && isSame(this.#texts[symbol]!, this.#places[symbol]!, cut, index)) return symbol;
    }
  }

  /** Returns the index of the first line with a number, if it is in `cut`. */
  placeIn(cut: CutText, symbol: number): number | undefined {
    return this.#texts[symbol] === cut ? this.#places[symbol] : undefined;
  }

  #add(slot: number, hash: number, cut: CutText, index: number): number {
    this.#slots[slot] = this.count;
    this.#hashes[this.count] = hash;
    this.#places[this.count] = index;
    this.#texts.push(cut);
    return this.count++;
  }
}

function hashOf(text: string, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
  return hash;
}
