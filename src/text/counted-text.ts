import { Needle } from "./needle.ts";

/** Thrown out of a search that has looked at its text as often as it may. */
export class Exhausted extends Error {
  override readonly name = "Exhausted";
}

/**
 * A text that counts how often it is looked at. A regex engine is linear in one search, but looks for the next match
 * may go over the same text again and again; only what is read tells. @throws Exhausted
 */
export class CountedText extends String {
  readonly #text: string;
  readonly #needles = new Map<string, Needle>();
  #left: number;

  constructor(text: string, looks: number) {
    super(text);
    this.#text = text;
    this.#left = looks;
  }

  spend(looks: number): void {
    this.#left -= looks;
    if (this.#left < 0) throw new Exhausted();
  }

  override charCodeAt(index: number): number {
    if (--this.#left < 0) throw new Exhausted();
    return this.#text.charCodeAt(index);
  }

  /** The system looks at many characters at once. */
  override indexOf(needle: string, from = 0): number {
    const sought = this.#needles.get(needle) ?? new Needle(needle);
    this.#needles.set(needle, sought);
    const found = sought.indexIn(this.#text, from);
    this.spend(((found < 0 ? this.#text.length : found) - from) / AT_ONCE);
    return found;
  }
}

const AT_ONCE = 16;
