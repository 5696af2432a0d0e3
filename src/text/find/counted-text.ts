import { Needle } from "../needle.ts";

/** Ends a search that has read as many characters of its text as its limit allows. */
export class Exhausted extends Error {
  override readonly name = "Exhausted";
}

/**
 * A text that counts the readings of its characters. A regex engine is linear in one search, but a search for the next
 * match may read the same characters again. Only counting the reads bounds the work.
 *
 * @throws Exhausted
 */
export class CountedText extends String {
  readonly #text: string;
  readonly #needles = new Map<string, Needle>();
  #left: number;

  constructor(text: string, reads: number) {
    super(text);
    this.#text = text;
    this.#left = reads;
  }

  spend(reads: number): void {
    this.#left -= reads;
    if (this.#left < 0) throw new Exhausted();
  }

  override charCodeAt(index: number): number {
    if (--this.#left < 0) throw new Exhausted();
    return this.#text.charCodeAt(index);
  }

  /** Searches natively, which reads many characters at once and therefore costs less per character. */
  override indexOf(needle: string, from = 0): number {
    const sought = this.#needles.get(needle) ?? new Needle(needle);
    this.#needles.set(needle, sought);
    const found = sought.indexIn(this.#text, from);
    this.spend(((found < 0 ? this.#text.length : found) - from) / CHARACTERS_A_READ);
    return found;
  }
}

const CHARACTERS_A_READ = 16;
