import type { Result } from "../../protocol/schemas.ts";

export type ProposalEntry = Result<"proposal.get">;

/** What becomes of a proposal. */
export type FinalStatus = Exclude<ProposalEntry["status"], "pending">;

/** An edit that waits to be confirmed. */
export type PreviewEntry = Result<"preview.list">["previews"][number];
