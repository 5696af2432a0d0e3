import type { Result } from "../../../protocol/schemas/schemas.ts";

export type ProposalEntry = Result<"proposal.get">;

/** The status of a proposal that is no longer pending. */
export type FinalStatus = Exclude<ProposalEntry["status"], "pending">;

/** An edit that a person has to confirm. */
export type PreviewEntry = Result<"preview.list">["previews"][number];
