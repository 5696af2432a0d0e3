import { diffAt } from "../diff/diff.ts";
import { countChars } from "../positions.ts";
import { type Splice, spliceKey } from "../splice.ts";
import type { Block } from "./blocks.ts";
import type { Chain } from "./chains.ts";
import type { Place } from "./place.ts";
import { CONTEXT, isEdgeBetween } from "./tokens.ts";

/** The result beside a chain, as far as it decides about tokens. */
interface Around {
  readonly before: string;
  readonly after: string;
}

/** Returns a function from each of ascending chains to the text beside it. `blocks` are all blocks, in order. */
export function neighboursOf(place: Place, blocks: readonly Block[]): (chain: Chain) => Around {
  let first = 0;
  const merged = (from: number, to: number) => {
    const parts: string[] = [];
    let at = from;
    for (let i = first; i < blocks.length && blocks[i]!.from < to; i++) {
      if (blocks[i]!.from <= from) continue;
      parts.push(place.slice(at, blocks[i]!.from), ends(blocks[i]!.insert));
      at = Math.max(at, blocks[i]!.to);
    }
    return parts.join("") + place.slice(at, to);
  };
  return ({ from, to }) => {
    while (first < blocks.length && blocks[first]!.from < from - CONTEXT) first++;
    return { before: merged(from - CONTEXT, from), after: merged(to, to + CONTEXT) };
  };
}

/**
 * Returns the splices that put ours of a chain beside theirs, in positions of the text after theirs. The text of every
 * block stays whole; a space parts two texts that would run together.
 *
 *     base     ──────── from ═════════════════════════ to ────────
 *     theirs             gap   block   gap    block   gap
 *     result           ┆ ours ┆ block ┆ ours ┆ block ┆ ours ┆
 */
export function weave(
  place: Place,
  { from, to, blocks }: Chain,
  { before, after }: Around,
  shiftOf: (block: Block) => number,
): Splice[] {
  const theirs = new Set(blocks.filter(({ side }) => side === "theirs").map(spliceKey));
  const splices: Splice[] = [];
  const result = new Result(before);
  let gap = { from, at: 0 };
  const fillGap = (to: number) => splices.push(...diffAt(gap.at, place.slice(gap.from, to), result.take()));
  let last: Block | undefined;
  for (const block of blocks) {
    if (block.side === "ours" && theirs.has(spliceKey(block))) continue;
    if (last === undefined || !runsInto(last, block)) result.part(block.insert);
    if (block.insert !== "") last = block;
    if (block.side === "ours") result.add(block.insert);
    else {
      const at = block.from + shiftOf(block);
      gap = { ...gap, at: at - Math.max(0, block.from - gap.from) };
      fillGap(block.from);
      result.pass(block.insert);
      gap = { from: Math.max(gap.from, block.to), at: at + countChars(block.insert) };
    }
  }
  result.part(after);
  fillGap(to);
  return splices;
}

/** Returns true when two blocks of one side have a token in common that neither has alone. */
function runsInto(last: Block, block: Block): boolean {
  return last.side === block.side && last.to === block.from && !isEdgeBetween(last.insert, block.insert);
}

/** Returns the beginning and the end of a long text. */
function ends(text: string): string {
  return text.length <= 2 * CONTEXT ? text : text.slice(0, CONTEXT) + text.slice(-CONTEXT);
}

/** The result as far as it is made: its end, and the splices of ours in it since the last `take`. */
class Result {
  #end: string;
  #added = "";

  constructor(before: string) {
    this.#end = before;
  }

  /** Adds a space when the end of the result and `next` would have a token in common. */
  part(next: string): void {
    if (next !== "" && this.#end !== "" && !isEdgeBetween(this.#end, next)) this.add(" ");
  }

  add(text: string): void {
    this.#added += text;
    this.pass(text);
  }

  /** Goes past a text that is there without ours. */
  pass(text: string): void {
    this.#end = (this.#end + ends(text)).slice(-2 * CONTEXT);
  }

  take(): string {
    const added = this.#added;
    this.#added = "";
    return added;
  }
}
