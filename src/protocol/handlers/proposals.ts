import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { ShownProposal } from "../../workspace/proposals/show.ts";
import type { proposals as schemas } from "../schemas/proposals.ts";
import type { Result } from "../schemas.ts";
import { wireResult } from "./edits.ts";
import type { Handlers } from "./handler.ts";

type WireProposal = Result<"proposal.get">;

export const proposalHandlers: Handlers<keyof typeof schemas> = {
  "proposal.create"({ proposals }, { actor }, params) {
    const {
      old_content: oldContent,
      proposed_value: proposedValue,
      source_query: sourceQuery,
      ...rest
    } = params;
    return wireOutcome(proposals.create(actor, { ...rest, oldContent, proposedValue, sourceQuery }));
  },

  async "proposal.list"({ proposals }, { actor }, query) {
    const listed = await proposals.list(actor, query);
    if (isRefusal(listed)) return listed;
    return { more: listed.more, proposals: listed.proposals.map(wireProposal) };
  },

  "proposal.get": ({ proposals }, { actor }, { id }) => wireOutcome(proposals.get(actor, id)),

  async "proposal.approve"({ proposals }, { actor, unit }, request) {
    const approved = await proposals.approve(actor, request);
    if (isRefusal(approved)) return approved;
    return { ...wireProposal(approved.proposal), edit: wireResult(approved.edit, unit) };
  },

  "proposal.reject": ({ proposals }, { actor }, { id, reason }) =>
    wireOutcome(proposals.reject(actor, id, reason ?? null)),
};

async function wireOutcome(outcome: Promise<Outcome<ShownProposal>>): Promise<Outcome<WireProposal>> {
  const shown = await outcome;
  return isRefusal(shown) ? shown : wireProposal(shown);
}

/** Returns a proposal with the names that its fields have on the wire. */
function wireProposal({
  currentValue: current_value,
  proposedValue: proposed_value,
  sourceQuery: source_query,
  createdAt: created_at,
  reviewedAt: reviewed_at,
  appliedChange: applied_change,
  agentId: agent_id,
  userId: user_id,
  approvals,
  hunks,
  conflicts,
  ...rest
}: ShownProposal): WireProposal {
  return {
    ...rest,
    current_value,
    proposed_value,
    source_query,
    created_at,
    reviewed_at,
    applied_change,
    agent_id,
    user_id,
    approvals: approvals.map(({ change, userId, reviewer, reviewedAt }) => ({
      change,
      user_id: userId,
      reviewer,
      reviewed_at: reviewedAt,
    })),
    hunks: [...hunks],
    conflicts: conflicts.map(({ lines, ...texts }) => ({ ...texts, lines: [...lines] })),
  };
}
