import { StepBudget } from "../../../text/diff/budget.ts";
import { pairLines } from "../../../text/diff/pair-lines.ts";
import { refine } from "../../../text/diff/refine.ts";
import { inkOf } from "../../../text/diff/space.ts";
import { isWordEdge } from "../../../text/diff/words.ts";
import type { DiffLine } from "./diff-lines.ts";

/** A half-open range of UTF-16 indexes in a line. */
export interface Mark {
  readonly from: number;
  readonly to: number;
}

/** Most steps of work for one hunk; later lines stay unmarked. */
const STEPS = 400_000;
/** Longer lines stay unmarked. */
const MOST_LINE_LENGTH = 4_000;
/** Least share of the shorter line that two lines must have in common to be marked. */
const LEAST_SHARE = 0.4;

/**
 * Returns the changed words of a hunk's lines. Only pairs of lines that are versions of each other, with enough text
 * in common, are marked.
 */
export function wordMarks(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, readonly Mark[]> {
  const marks = new Map<DiffLine, readonly Mark[]>();
  const budget = new StepBudget(STEPS);
  for (const { removed, added } of blocksOf(lines)) {
    if (removed.length === 0 || added.length === 0) continue;
    const texts = [removed, added].map((side) => side.map(({ text }) => text));
    for (const pair of pairLines(texts[0]!, texts[1]!, budget)) {
      const old = removed[pair.a]!;
      const now = added[pair.b]!;
      const found = changedWords(old.text, now.text, budget);
      if (found === undefined) continue;
      marks.set(old, found.old);
      marks.set(now, found.now);
    }
  }
  return marks;
}

interface Block {
  readonly removed: DiffLine[];
  readonly added: DiffLine[];
}

/** Returns the blocks of adjacent changed lines. */
function blocksOf(lines: readonly DiffLine[]): Block[] {
  const blocks: Block[] = [];
  let block: Block | undefined;
  for (const line of lines) {
    if (line.kind === "same") {
      block = undefined;
      continue;
    }
    if (block === undefined) {
      block = { removed: [], added: [] };
      blocks.push(block);
    }
    block[line.kind].push(line);
  }
  return blocks;
}

function changedWords(
  old: string,
  now: string,
  budget: StepBudget,
): { readonly old: Mark[]; readonly now: Mark[] } | undefined {
  if (old.length > MOST_LINE_LENGTH || now.length > MOST_LINE_LENGTH) return undefined;
  const changes = refine([old], [now], budget);
  const marks = {
    old: joinMarks(changes.map(({ a0, a1 }) => wholeWords(old, a0, a1))),
    now: joinMarks(changes.map(({ b0, b1 }) => wholeWords(now, b0, b1))),
  };
  const common = inkOf(old) - marks.old.reduce((sum, { from, to }) => sum + inkOf(old, from, to), 0);
  return common < LEAST_SHARE * Math.min(inkOf(old), inkOf(now)) ? undefined : marks;
}

/** Extends a range to whole words. An empty range stays empty. */
function wholeWords(text: string, from: number, to: number): Mark {
  if (from === to) return { from, to };
  let start = from;
  let end = to;
  while (!isWordEdge(text, start)) start--;
  while (!isWordEdge(text, end)) end++;
  return { from: start, to: end };
}

function joinMarks(marks: readonly Mark[]): Mark[] {
  const out: Mark[] = [];
  for (const mark of marks) {
    const last = out.at(-1);
    if (mark.from === mark.to) continue;
    if (last !== undefined && mark.from <= last.to)
      out[out.length - 1] = { from: last.from, to: Math.max(last.to, mark.to) };
    else out.push(mark);
  }
  return out;
}
