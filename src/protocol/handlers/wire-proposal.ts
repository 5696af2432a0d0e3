import { isEdit } from "../../workspace/proposals/proposal.ts";
import type { ShownPart, ShownProposal } from "../../workspace/proposals/show.ts";
import type { Result } from "../schemas/schemas.ts";

export type WireProposal = Result<"proposal.get">;
type WireFile = NonNullable<WireProposal["files"]>[number];

/** Returns a proposal with the names that its fields have on the wire. */
export function wireProposal({
  files,
  sourceQuery: source_query,
  createdAt: created_at,
  reviewedAt: reviewed_at,
  appliedChange: applied_change,
  appliedBatch: applied_batch,
  agentId: agent_id,
  userId: user_id,
  withdrawn,
  approvals,
  ...rest
}: ShownProposal): WireProposal {
  const isSet = files !== undefined;
  return {
    ...wirePart(rest),
    ...(isSet && { operation: operationInSet(rest) }),
    ...(rest.status === "rejected" && withdrawn === true && { withdrawn: true }),
    source_query,
    created_at,
    reviewed_at,
    applied_change,
    applied_batch,
    agent_id,
    user_id,
    approvals: approvals.map(({ changes, batch, userId, reviewer, reviewedAt }) => ({
      change: changes[0]!.change,
      ...(batch !== undefined && { batch }),
      user_id: userId,
      reviewer,
      reviewed_at: reviewedAt,
    })),
    ...(isSet && {
      files: files.map((file): WireFile => ({ ...wirePart(file), operation: operationInSet(file) })),
    }),
  };
}

/** Returns the operation of one of several files as `proposal.create` takes it. */
function operationInSet(part: Pick<ShownPart, "operation">): WireFile["operation"] {
  return isEdit(part) ? "edit" : part.operation;
}

function wirePart<P extends Omit<ShownPart, "status">>({
  currentValue: current_value,
  proposedValue: proposed_value,
  hunks,
  conflicts,
  ...rest
}: P) {
  return {
    ...rest,
    current_value,
    proposed_value,
    hunks: [...hunks],
    conflicts: conflicts.map(({ lines, ...texts }) => ({ ...texts, lines: [...lines] as [number, number] })),
  };
}
