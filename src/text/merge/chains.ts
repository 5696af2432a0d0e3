import type { Block } from "./blocks.ts";

/** Blocks of both sides that overlap or touch one after the other, without unchanged text between them. */
export interface Chain {
  readonly from: number;
  readonly to: number;
  readonly blocks: readonly Block[];
}

/** An insertion comes before a replacement at the same position, and theirs before ours. */
export function inOrder(a: Block, b: Block): number {
  if (a.from !== b.from) return a.from - b.from;
  const insertions = Number(b.from === b.to) - Number(a.from === a.to);
  return insertions !== 0 ? insertions : Number(a.side === "ours") - Number(b.side === "ours");
}

/** Returns the chains in which both sides made an edit of their own. `blocks` are in order. */
export function chainsOf(blocks: readonly Block[], acts: (block: Block) => boolean): Chain[] {
  const chains: { from: number; to: number; blocks: Block[] }[] = [];
  for (const block of blocks) {
    const last = chains.at(-1);
    if (last === undefined || block.from > last.to)
      chains.push({ from: block.from, to: block.to, blocks: [block] });
    else {
      last.blocks.push(block);
      last.to = Math.max(last.to, block.to);
    }
  }
  return chains.filter(
    ({ blocks: linked }) => new Set(linked.filter(acts).map(({ side }) => side)).size === 2,
  );
}
