import type { ProposalEntry } from "../../state/proposal-types.ts";

/** The proposals of one document, newest first. */
interface ProposalGroup {
  readonly path: string;
  readonly proposals: readonly ProposalEntry[];
}

/** Groups proposals by document. A document with a newer proposal comes first. */
export function groupByPath(proposals: readonly ProposalEntry[]): ProposalGroup[] {
  const groups = new Map<string, ProposalEntry[]>();
  for (const proposal of proposals) {
    const group = groups.get(proposal.path);
    if (group === undefined) groups.set(proposal.path, [proposal]);
    else group.push(proposal);
  }
  return [...groups].map(([path, of]) => ({ path, proposals: of }));
}
