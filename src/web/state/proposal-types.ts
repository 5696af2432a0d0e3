import type { Result } from "../../protocol/schemas.ts";

export type Proposal = Result<"proposal.get">;

/** What becomes of a proposal. */
export type Verdict = Exclude<Proposal["status"], "pending">;

/** An edit that waits to be confirmed. */
export type Preview = Result<"preview.list">["previews"][number];
