import { countChars, utf16Index } from "./positions.ts";
import { normalize, type Splice, spliceKey } from "./splice.ts";

/**
 * Operations on two edits of one text: composing them in sequence, and rebasing one over the other. Both read a text
 * as runs of unchanged, deleted and inserted characters, so one rule covers nested, touching and equal edits.
 */

/** A place where both sides changed the base: the same text, or words beside each other. */
export interface Overlap {
  readonly ours: Splice;
  readonly theirs: Splice;
}

/**
 * Returns one splice list with the effect of `first` followed by `second`. `second` is in positions of the text after
 * `first`.
 */
export function compose(first: readonly Splice[], second: readonly Splice[]): Splice[] {
  if (first.length === 0) return normalize(second);
  if (second.length === 0) return normalize(first);
  const a = new Runs(first);
  const b = new Runs(second);
  const out = new Builder();
  while (!(a.atRest && b.atRest)) {
    if (a.kind === "delete") out.delete(a.take(a.size));
    else if (b.kind === "insert") out.insert(b.takeText(b.size));
    else {
      const size = Math.min(a.size, b.size);
      if (a.kind === "insert") {
        const text = a.takeText(size);
        if (b.kind === "keep") out.insert(text);
      } else {
        a.take(size);
        if (b.kind === "keep") out.keep(size);
        else out.delete(size);
      }
      b.take(size);
    }
  }
  return out.done();
}

/** Composes edits that were made one after the other; neighbours first, so that long edits are read few times. */
export function composeAll(edits: readonly (readonly Splice[])[]): Splice[] {
  if (edits.length <= 2) return compose(edits[0] ?? [], edits[1] ?? []);
  const half = edits.length >> 1;
  return compose(composeAll(edits.slice(0, half)), composeAll(edits.slice(half)));
}

/**
 * Rebases `ours` over `theirs`. Both lists are in positions of the same base; the result applies to the text after
 * `theirs`.
 * - Text that either side inserted is never lost.
 * - A range that both sides deleted is deleted once.
 * - At one position, the insert of side `first` comes first.
 * - A splice that both sides made identically is applied once (I7), so the result leaves it out.
 * - Rebasing each side over the other with the same side first leads to one text.
 */
export function rebase(
  ours: readonly Splice[],
  theirs: readonly Splice[],
  first: "ours" | "theirs" = "theirs",
): { readonly splices: Splice[]; readonly overlaps: Overlap[] } {
  const same = new Set(theirs.map(spliceKey));
  const own = ours.filter((s) => !same.has(spliceKey(s)));
  const a = new Runs(theirs);
  const b = new Runs(own);
  const out = new Builder();
  while (!b.atRest) {
    if (a.kind === "insert" && !(first === "ours" && b.kind === "insert")) out.keep(a.take(a.size));
    else if (b.kind === "insert") out.insert(b.takeText(b.size));
    else {
      const size = Math.min(a.size, b.size);
      if (a.kind === "keep") {
        if (b.kind === "delete") out.delete(size);
        else out.keep(size);
      }
      a.take(size);
      b.take(size);
    }
  }
  return { splices: out.done(), overlaps: overlaps(own, theirs) };
}

/**
 * Returns the position after the splices. `side` decides whether it goes before or after an insert at exactly `pos`.
 */
export function mapPosition(pos: number, splices: readonly Splice[], side: "before" | "after"): number {
  let shift = 0;
  for (const s of splices) {
    if (s.from > pos || (s.from === pos && s.to === pos && side === "before")) break;
    const size = countChars(s.insert);
    if (s.to > pos) return s.from + shift + (side === "after" ? size : 0);
    shift += size - (s.to - s.from);
  }
  return pos + shift;
}

function overlaps(ours: readonly Splice[], theirs: readonly Splice[]): Overlap[] {
  const found: Overlap[] = [];
  let start = 0;
  for (const o of ours) {
    while (start < theirs.length && theirs[start]!.to < o.from) start++;
    for (let i = start; i < theirs.length && theirs[i]!.from <= o.to; i++)
      if (touchesSame(o, theirs[i]!)) found.push({ ours: o, theirs: theirs[i]! });
  }
  return found;
}

function touchesSame(a: Splice, b: Splice): boolean {
  if (a.from === a.to) return b.from < a.from && a.from < b.to;
  if (b.from === b.to) return a.from < b.from && b.from < a.to;
  return Math.max(a.from, b.from) < Math.min(a.to, b.to);
}

/** Reads a splice list as runs over its base. After the last splice comes one endless unchanged run. */
class Runs {
  readonly #splices: readonly Splice[];
  #next = 0;
  #pos = 0;
  #text = "";
  kind: "keep" | "delete" | "insert" = "keep";
  /** Code points left in the current run. */
  size = 0;

  constructor(splices: readonly Splice[]) {
    this.#splices = normalize(splices);
    this.#advance();
  }

  /** True when only unchanged text is left. */
  get atRest(): boolean {
    return this.size === Number.POSITIVE_INFINITY;
  }

  take(n: number): number {
    if (this.kind === "insert") this.#text = this.#text.slice(this.#indexOf(n));
    else this.#pos += n;
    this.size -= n;
    if (this.size === 0) this.#advance();
    return n;
  }

  takeText(n: number): string {
    const text = this.#text.slice(0, this.#indexOf(n));
    this.take(n);
    return text;
  }

  /** Returns the UTF-16 index of code point `n` of the current insert, whose end is known. */
  #indexOf(n: number): number {
    return n === this.size ? this.#text.length : utf16Index(this.#text, n);
  }

  #advance(): void {
    const splice = this.#splices[this.#next];
    if (splice === undefined) {
      this.kind = "keep";
      this.size = Number.POSITIVE_INFINITY;
    } else if (this.#pos < splice.from) {
      this.kind = "keep";
      this.size = splice.from - this.#pos;
    } else if (this.kind !== "insert" && splice.insert !== "" && this.#pos === splice.from) {
      this.kind = "insert";
      this.#text = splice.insert;
      this.size = countChars(splice.insert);
      if (splice.to === splice.from) this.#next++;
    } else {
      this.kind = "delete";
      this.size = splice.to - this.#pos;
      this.#next++;
    }
  }
}

class Builder {
  readonly #out: Splice[] = [];
  #pos = 0;

  keep(n: number): void {
    this.#pos += n;
  }

  insert(text: string): void {
    this.#push(this.#pos, text);
  }

  delete(n: number): void {
    this.#pos += n;
    this.#push(this.#pos - n, "");
  }

  done(): Splice[] {
    return normalize(this.#out);
  }

  #push(from: number, insert: string): void {
    this.#out.push({ from, to: this.#pos, insert });
  }
}
