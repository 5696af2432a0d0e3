import type { Overlap } from "../delta.ts";
import { growth, type Splice, spliceKey } from "../splice.ts";
import { isClose } from "./beside.ts";
import { type Block, blocksOf, type SideEdits } from "./blocks.ts";
import { type Chain, chainsOf, inOrder } from "./chains.ts";
import type { Place } from "./place.ts";
import { isEdgeBetween } from "./tokens.ts";
import { neighboursOf, weave } from "./weave.ts";

/** The edits of both sides in one place, in positions of the base. */
export interface Edits {
  readonly ours: SideEdits;
  readonly theirs: SideEdits;
  /** Returns true for a splice that both sides made. */
  readonly isShared: (splice: Splice) => boolean;
}

/** The result of both sides' edits at one place. */
export interface Meeting {
  /** The blocks of both sides that meet. They replace their parts. */
  readonly met: readonly Block[];
  /** The splices that apply ours of these blocks to the text after theirs. */
  readonly splices: readonly Splice[];
  /** Pairs that changed the same token. */
  readonly overlaps: readonly Overlap[];
  /** Pairs that changed words or marks beside each other. */
  readonly close: readonly Overlap[];
}

interface Found {
  readonly kind: "overlap" | "close";
  readonly pair: Overlap;
}

/** The most times that blocks are widened because a mark between them joins them to one token. */
const ROUNDS = 4;

/** Merges the edits of both sides in one place by whole tokens. */
export function meet(place: Place, edits: Edits): Meeting {
  const acts = ({ parts }: Block) => parts.some((part) => !edits.isShared(part));
  const blocks = wideBlocks(place, edits);
  const chains = chainsOf(blocks, acts);
  const found = [
    ...chains.flatMap((chain) => pairsIn(place, chain, edits)),
    ...pairsApart(place, blocks.filter(acts)),
  ];
  const shiftOf = shiftsOf(edits);
  const beside = neighboursOf(place, blocks);
  const of = (kind: Found["kind"]) => found.filter((one) => one.kind === kind).map(({ pair }) => pair);
  return {
    met: chains.flatMap((chain) => chain.blocks),
    splices: chains.flatMap((chain) => weave(place, chain, beside(chain), shiftOf)),
    overlaps: of("overlap"),
    close: of("close"),
  };
}

/** Returns the blocks of both sides in order. Two blocks and a mark that would be one token become that token. */
function wideBlocks(place: Place, { ours, theirs }: Edits): Block[] {
  for (let round = 0; ; round++) {
    const own = blocksOf("ours", place, ours);
    const others = blocksOf("theirs", place, theirs);
    const joined = [...marksBetween(place, own, others), ...marksBetween(place, others, own)];
    if (joined.length === 0 || round === ROUNDS) return [...own, ...others].sort(inOrder);
    for (const at of joined) place.join(at);
  }
}

/** Returns the positions of marks that join a left block and a right one to a token. */
function marksBetween(place: Place, lefts: readonly Block[], rights: readonly Block[]): number[] {
  const ending = new Map(lefts.map((left) => [left.to, left.insert]));
  return rights.flatMap(({ from, insert }) => {
    const left = ending.get(from - 1);
    if (left === undefined) return [];
    const mark = place.slice(from - 1, from);
    const isApart = isEdgeBetween(left, mark + insert) && isEdgeBetween(left + mark, insert);
    return isApart ? [] : [from - 1];
  });
}

/** Returns the pairs of a chain's blocks that changed the same token, or that are close. */
function pairsIn(place: Place, { blocks }: Chain, edits: Edits): Found[] {
  const theirs = blocks.filter(({ side }) => side === "theirs");
  const found: Found[] = [];
  let start = 0;
  for (const own of blocks) {
    if (own.side === "theirs") continue;
    while (start < theirs.length && theirs[start]!.to < own.from) start++;
    for (let i = start; i < theirs.length && theirs[i]!.from <= own.to; i++) {
      const kind = relation(place, own, theirs[i]!, edits);
      if (kind !== undefined) found.push({ kind, pair: pairOf(own, theirs[i]!) });
    }
  }
  return found;
}

function relation(place: Place, own: Block, other: Block, edits: Edits): Found["kind"] | undefined {
  if (spliceKey(own) === spliceKey(other)) return undefined;
  if (own.from < other.to && other.from < own.to) return "overlap";
  const [left, right] = inOrder(own, other) < 0 ? [own, other] : [other, own];
  if (left.insert !== "" && right.insert !== "" && !isEdgeBetween(left.insert, right.insert))
    return "overlap";
  return isClose(place, left, right) || areNextEntries(place, left, right, edits) ? "close" : undefined;
}

/** Returns true when both sides ended the line before with the same comma and put different lines after it. */
function areNextEntries(place: Place, left: Block, right: Block, { isShared }: Edits): boolean {
  if (left.from !== right.to || place.slice(left.from - 1, left.from) !== "\n") return false;
  const end = left.from - (place.slice(left.from - 2, left.from) === "\r\n" ? 2 : 1);
  return isShared({ from: end, to: end, insert: "," });
}

/** Returns the pairs of blocks that are close and have white space between them. */
function pairsApart(place: Place, blocks: readonly Block[]): Found[] {
  const found: Found[] = [];
  const last: Partial<Record<Block["side"], Block>> = {};
  for (const block of blocks) {
    const other = last[block.side === "ours" ? "theirs" : "ours"];
    if (other !== undefined && hasOnlySpace(place, other.to, block.from) && isClose(place, other, block))
      found.push({ kind: "close", pair: pairOf(block, other) });
    last[block.side] = block;
  }
  return found;
}

/** Returns true when there is white space between two positions, nothing else, and no line break. */
function hasOnlySpace(place: Place, from: number, to: number): boolean {
  return from < to && /^[^\S\n]+$/.test(place.slice(from, to));
}

function pairOf(one: Block, other: Block): Overlap {
  const [ours, theirs] = one.side === "ours" ? [one, other] : [other, one];
  return { ours: spliceOf(ours), theirs: spliceOf(theirs) };
}

export function spliceOf({ from, to, insert }: Splice): Splice {
  return { from, to, insert };
}

/** Returns the growth of the text by the splices of theirs before a block of theirs. */
function shiftsOf({ theirs }: Edits): (block: Block) => number {
  const shifts = new Map<Splice, number>();
  let { shift } = theirs;
  for (const splice of theirs.splices) {
    shifts.set(splice, shift);
    shift += growth([splice]);
  }
  return ({ parts }) => shifts.get(parts[0]!)!;
}
