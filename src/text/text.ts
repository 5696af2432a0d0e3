import {
  encodedLeaf,
  equalLeaves,
  type Leaf,
  leavesOf,
  mergeSmall,
  type Place,
  START,
  unitIndex,
} from "./leaf.ts";
import { Needle } from "./needle.ts";
import { convertOffset, countChars, isWellFormed, measure, type Unit } from "./positions.ts";
import type { Splice } from "./splice.ts";

/**
 * An immutable text in leaves. An edit of a large document copies one leaf and a list of pointers, and re-encodes to
 * UTF-8 only the leaf that changed. Positions are code points.
 *
 * @throws RangeError on a position outside the text.
 */
export class Text {
  static readonly empty = new Text([]);

  readonly #leaves: readonly Leaf[];
  /** The number of code points. */
  readonly chars: number;
  readonly utf16: number;
  readonly bytes: number;
  /** Number of `\n`. */
  readonly breaks: number;
  /** Number of `\r`. */
  readonly returns: number;

  private constructor(leaves: readonly Leaf[]) {
    this.#leaves = leaves;
    let chars = 0;
    let utf16 = 0;
    let bytes = 0;
    let breaks = 0;
    let returns = 0;
    for (const leaf of leaves) {
      chars += leaf.chars;
      utf16 += leaf.utf16;
      bytes += leaf.bytes;
      breaks += leaf.breaks;
      returns += leaf.returns;
    }
    this.chars = chars;
    this.utf16 = utf16;
    this.bytes = bytes;
    this.breaks = breaks;
    this.returns = returns;
  }

  /** @throws RangeError when `s` contains a lone surrogate. */
  static of(s: string): Text {
    if (!isWellFormed(s)) throw new RangeError("text holds a lone surrogate");
    return s === "" ? Text.empty : new Text(leavesOf(s, s.length));
  }

  /** The number of lines as an editor counts them: an empty text has one; a final newline starts no further line. */
  get lines(): number {
    return Math.max(1, this.breaks + (this.endsWithBreak ? 0 : 1));
  }

  get endsWithBreak(): boolean {
    return this.#leaves.at(-1)?.text.endsWith("\n") ?? false;
  }

  toString(): string {
    return this.#leaves.map((leaf) => leaf.text).join("");
  }

  /** Yields the leaves' texts in order; joined they are the text. */
  *pieces(): Generator<string> {
    for (const leaf of this.#leaves) yield leaf.text;
  }

  /** Returns the text in UTF-8, in pieces that later versions share. */
  encoded(): Uint8Array[] {
    return this.#leaves.map(encodedLeaf);
  }

  slice(from: number, to: number = this.chars): string {
    this.#check(from);
    this.#check(to);
    return to <= from ? "" : this.#between(this.#find("chars", from), from, to);
  }

  /** Returns the text between two positions, of which the first is in the leaf `a`. */
  #between(a: Place, from: number, to: number): string {
    const b = this.#find("chars", to, a);
    const first = this.#leaves[a.index]!;
    const start = unitIndex(first, from - a.before.chars);
    if (a.index === b.index) return first.text.slice(start, unitIndex(first, to - b.before.chars));
    const parts = [first.text.slice(start)];
    for (let i = a.index + 1; i < b.index; i++) parts.push(this.#leaves[i]!.text);
    const last = this.#leaves[b.index]!;
    parts.push(last.text.slice(0, unitIndex(last, to - b.before.chars)));
    return parts.join("");
  }

  /** Returns the text after `splices`, which are in this text's positions, ascending and non-overlapping. */
  splice(splices: readonly Splice[]): Text {
    const out: Leaf[] = [];
    let index = 0; // the current leaf, the number of code points before it, and the position in it in UTF-16 units
    let start = 0;
    let unit = 0;
    let edited: string | undefined; // the edited text of this leaf up to the current position
    const advance = (position: number, keep: boolean) => {
      while (index < this.#leaves.length - 1 && position > start + this.#leaves[index]!.chars) {
        const leaf = this.#leaves[index]!;
        if (keep && edited === undefined && unit === 0) out.push(leaf);
        else edited = (edited ?? leaf.text.slice(0, unit)) + (keep ? leaf.text.slice(unit) : "");
        if (keep && edited !== undefined) {
          out.push(...leavesOf(edited, this.utf16));
          edited = undefined;
        }
        start += leaf.chars;
        index++;
        unit = 0;
      }
      const leaf = this.#leaves[index];
      if (leaf === undefined) return;
      const target = unitIndex(leaf, position - start);
      if (edited !== undefined && keep) edited += leaf.text.slice(unit, target);
      else if (!keep) edited ??= leaf.text.slice(0, unit);
      unit = target;
    };
    let last = 0;
    for (const { from, to, insert } of splices) {
      this.#check(from);
      this.#check(to);
      if (from < last || from > to) throw new RangeError(`splice ${from}..${to} is out of order`);
      if (from === to && insert === "") continue;
      advance(from, true);
      edited ??= this.#leaves[index]?.text.slice(0, unit) ?? "";
      advance(to, false);
      edited += insert;
      last = to;
    }
    if (out.length === 0 && edited === undefined) return this;
    const rest = this.#leaves[index];
    if (edited === undefined) out.push(...this.#leaves.slice(index));
    else {
      out.push(...leavesOf(edited + (rest?.text.slice(unit) ?? ""), this.utf16));
      out.push(...this.#leaves.slice(index + 1));
    }
    return new Text(mergeSmall(out, this.utf16));
  }

  /** Returns the text that each splice removes; the splices are in this text's positions and ascending. */
  removed(splices: readonly Splice[]): string[] {
    let place = START;
    return splices.map(({ from, to }) => {
      this.#check(from);
      this.#check(to);
      if (from === to) return "";
      place = this.#find("chars", from, place);
      return this.#between(place, from, to);
    });
  }

  /** Converts a position between units; undefined when it lies outside the text or inside a character. */
  convert(position: number, from: Unit, to: Unit): number | undefined {
    const [most, other] = [this[KEY[from]], this[KEY[to]]];
    if (!Number.isSafeInteger(position) || position < 0 || position > most) return undefined;
    if (this.chars === most && this.chars === other) return position;
    const { index, before } = this.#find(KEY[from], position);
    const leaf = this.#leaves[index];
    if (leaf === undefined) return 0;
    const inner = position - before[KEY[from]];
    const plain = leaf[KEY[from]] === leaf[KEY[to]] && leaf.chars === leaf[KEY[to]];
    const offset = plain ? inner : convertOffset(leaf.text, inner, from, to);
    return offset === undefined ? undefined : before[KEY[to]] + offset;
  }

  /**
   * Returns the position of the first code point of a line (1-based). The line after the last one starts at the text's
   * end.
   */
  lineStart(line: number): number {
    if (!Number.isInteger(line) || line < 1 || line > this.breaks + 2)
      throw new RangeError(`line ${line} is outside 1..${this.breaks + 1}`);
    if (line === 1) return 0;
    if (line === this.breaks + 2) return this.chars;
    let left = line - 1;
    let chars = 0;
    for (const leaf of this.#leaves) {
      if (leaf.breaks >= left) {
        let i = -1;
        for (; left > 0; left--) i = leaf.text.indexOf("\n", i + 1);
        return chars + (leaf.chars === leaf.utf16 ? i + 1 : measure(leaf.text.slice(0, i + 1)).chars);
      }
      left -= leaf.breaks;
      chars += leaf.chars;
    }
    return this.chars;
  }

  /** Returns the 1-based line that contains a position. */
  lineAt(position: number): number {
    this.#check(position);
    const { index, before } = this.#find("chars", position);
    const leaf = this.#leaves[index];
    if (leaf === undefined) return 1;
    return before.breaks + 1 + measure(leaf.text.slice(0, unitIndex(leaf, position - before.chars))).breaks;
  }

  /** Returns lines `from..to` (1-based, inclusive) with their line breaks. */
  lineSlice(from: number, to: number): string {
    return this.slice(this.lineStart(from), to > this.breaks ? this.chars : this.lineStart(to + 1));
  }

  /** Yields the positions of `needle`, left to right, not overlapping. */
  *matches(needle: string): Generator<number> {
    if (needle === "") return;
    const sought = new Needle(needle);
    // Each leaf is searched together with as much of the following leaves as the needle is long.
    const leaves = needle.length > MOST_ACROSS ? this.#leaf() : this.#leaves;
    let chars = 0;
    let from = 0; // the end of the last match, in UTF-16 units of the leaf
    for (const [index, leaf] of leaves.entries()) {
      let counted = 0; // the index up to which characters of the leaf are counted, and their number
      let before = 0;
      const at = (i: number) => {
        before += leaf.chars === leaf.utf16 ? i - counted : countChars(leaf.text.slice(counted, i));
        counted = i;
        return chars + before;
      };
      for (let i = sought.indexIn(leaf.text, from); i >= 0; i = sought.indexIn(leaf.text, from)) {
        yield at(i);
        from = i + needle.length;
      }
      // A match that begins in this leaf may end in the next ones.
      const seam = Math.max(from, leaf.utf16 - needle.length + 1, 0);
      const after = index + 1 < leaves.length ? this.#unitsFrom(index + 1, needle.length - 1) : "";
      const joined = leaf.text.slice(seam) + after;
      for (
        let i = sought.indexIn(joined);
        i >= 0 && seam + i < leaf.utf16;
        i = sought.indexIn(joined, i + needle.length)
      ) {
        yield at(seam + i);
        from = seam + i + needle.length;
      }
      from = Math.max(0, from - leaf.utf16);
      chars += leaf.chars;
    }
  }

  equals(other: Text): boolean {
    return this === other || (this.bytes === other.bytes && equalLeaves(this.#leaves, other.#leaves));
  }

  /** Returns the whole text as one leaf. */
  #leaf(): readonly Leaf[] {
    const { chars, utf16, bytes, breaks, returns } = this;
    return [{ text: this.toString(), chars, utf16, bytes, breaks, returns }];
  }

  /** Returns up to `count` UTF-16 units from the start of a leaf. */
  #unitsFrom(index: number, count: number): string {
    let units = "";
    for (let i = index; units.length < count && i < this.#leaves.length; i++)
      units += this.#leaves[i]!.text.slice(0, count - units.length);
    return units;
  }

  #check(position: number): void {
    if (!Number.isSafeInteger(position) || position < 0 || position > this.chars)
      throw new RangeError(`position ${position} is outside 0..${this.chars}`);
  }

  /**
   * Returns the leaf that contains a position, and the sizes of all leaves before it. A position between two leaves
   * belongs to the first. The search begins at the place of an earlier position.
   */
  #find(key: "chars" | "utf16" | "bytes", position: number, { index, before }: Place = START): Place {
    let { chars, utf16, bytes, breaks } = before;
    let left = position - before[key];
    for (; index < this.#leaves.length - 1; index++) {
      const leaf = this.#leaves[index]!;
      if (left <= leaf[key]) break;
      left -= leaf[key];
      chars += leaf.chars;
      utf16 += leaf.utf16;
      bytes += leaf.bytes;
      breaks += leaf.breaks;
    }
    return { index, before: { chars, utf16, bytes, breaks } };
  }
}

/** The longest needle that is searched for leaf by leaf, in UTF-16 units; a longer one in the whole text. */
const MOST_ACROSS = 4096;

const KEY = { "utf-32": "chars", "utf-16": "utf16", "utf-8": "bytes" } as const;
