import type { Result } from "../protocol/schemas/schemas.ts";

type Proposal = Result<"proposal.get">;

/** The change of one file by a proposal. */
export type ProposalFile = NonNullable<Proposal["files"]>[number];

/** Returns the operation of a proposal on each of its files; a proposal of one file describes that file itself. */
export function filesOf(proposal: Proposal): readonly ProposalFile[] {
  return proposal.files ?? [proposal];
}
