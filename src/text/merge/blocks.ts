import { growth, type Splice } from "../splice.ts";
import type { Place, TokenEdges } from "./place.ts";

export type Side = "ours" | "theirs";

/** The splices of one side in a place. */
export interface SideEdits {
  /** Ascending. They may touch and do not overlap. */
  readonly splices: readonly Splice[];
  /** The growth of the text by this side's splices before the place. */
  readonly shift: number;
  /** The token edges of this side's text. */
  readonly edges: TokenEdges;
}

/** Splices of one side, widened to whole tokens of the base and of that side's text. */
export interface Block extends Splice {
  readonly side: Side;
  /** The splices that it covers, as the side gave them. */
  readonly parts: readonly Splice[];
}

/** Returns the splices of one side as blocks, ascending. Splices without a token's edge between them share a block. */
export function blocksOf(side: Side, place: Place, { splices, shift: before, edges }: SideEdits): Block[] {
  const blocks: Block[] = [];
  let open: { readonly from: number; readonly parts: Splice[] } | undefined;
  let [shift, last] = [before, place.from];
  const isEdge = (at: number) => place.isEdge(at) && edges.isEdge(at + shift);
  const close = (to: number) => {
    const { from, parts } = open!;
    blocks.push({ side, from, to, insert: place.after(from, to, parts), parts });
    open = undefined;
  };
  for (const splice of splices) {
    while (open !== undefined && last < splice.from && !isEdge(last)) last++;
    if (open !== undefined && isEdge(last)) close(last);
    if (open === undefined) {
      let from = splice.from;
      while (from > last && !isEdge(from)) from--;
      open = { from, parts: [splice] };
    } else open.parts.push(splice);
    shift += growth([splice]);
    last = splice.to;
  }
  while (open !== undefined && last < place.to && !isEdge(last)) last++;
  if (open !== undefined) close(last);
  return blocks;
}
