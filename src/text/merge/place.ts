import { firstLine, lastLine } from "../lines.ts";
import { countChars } from "../positions.ts";
import type { Splice } from "../splice.ts";
import type { Text } from "../text.ts";
import { REACH, tokenEdges } from "./tokens.ts";

/** Finds the token edges of a text near a position, so that the work does not grow with the text. */
export class TokenEdges {
  readonly #makeText: () => Text;
  #made: Text | undefined;
  #mask: Uint8Array = new Uint8Array();
  #start = 0;
  /** The positions that the mask is right for. */
  #first = 0;
  #last = -1;

  /** The text is made at the first question. */
  constructor(makeText: () => Text) {
    this.#makeText = makeText;
  }

  /** Returns true when no token spans a position. */
  isEdge(at: number): boolean {
    if (at < this.#first || at > this.#last) this.#look(at);
    return this.#mask[at - this.#start] === 1;
  }

  #look(at: number): void {
    this.#made ??= this.#makeText();
    const text = this.#made;
    const before = lastLine(text.slice(Math.max(0, at - REACH), at));
    const after = firstLine(text.slice(at, Math.min(text.chars, at + REACH)));
    const [left, right] = [countChars(before), countChars(after)];
    this.#mask = tokenEdges(before + after);
    this.#start = at - left;
    this.#first = left < REACH ? this.#start : at - REACH / 2;
    this.#last = right < REACH ? at + right : at + REACH / 2;
  }
}

/** A part of the base of a merge. All positions are in the base. */
export class Place {
  /** The beginning and the end of its changes, and of the search for edges around them. */
  readonly from: number;
  readonly to: number;
  readonly #base: Text;
  readonly #edges: TokenEdges;
  readonly #joined = new Set<number>();

  constructor(base: Text, from: number, to: number) {
    this.#base = base;
    this.#edges = new TokenEdges(() => base);
    this.from = Math.max(0, from - REACH);
    this.to = Math.min(base.chars, to + REACH);
  }

  slice(from: number, to: number): string {
    return this.#base.slice(Math.max(0, from), Math.min(this.#base.chars, to));
  }

  isEdge(at: number): boolean {
    return !this.#joined.has(at) && this.#edges.isEdge(at);
  }

  /** Makes one token of the character at a position and the tokens beside it. */
  join(at: number): void {
    this.#joined.add(at).add(at + 1);
  }

  /** Returns a range after the splices inside it. */
  after(from: number, to: number, splices: readonly Splice[]): string {
    const out: string[] = [];
    let at = from;
    for (const splice of splices) {
      out.push(this.slice(at, splice.from), splice.insert);
      at = splice.to;
    }
    out.push(this.slice(at, to));
    return out.join("");
  }
}
