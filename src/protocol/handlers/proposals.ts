import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { ShownProposal } from "../../workspace/proposals/show.ts";
import type { proposals as schemas } from "../schemas/proposals.ts";
import type { Result } from "../schemas.ts";
import { wireResult } from "./edits.ts";
import type { Handlers } from "./handler.ts";

export const proposalHandlers: Handlers<keyof typeof schemas> = {
  "proposal.create": ({ proposals }, { actor }, request) => sent(proposals.create(actor, request)),

  async "proposal.list"({ proposals }, { actor }, query) {
    const listed = await proposals.list(actor, query);
    return isRefusal(listed) ? listed : { more: listed.more, proposals: listed.proposals as Sent[] };
  },

  "proposal.get": ({ proposals }, { actor }, { id }) => sent(proposals.get(actor, id)),

  async "proposal.approve"({ proposals }, { actor, unit }, request) {
    const approved = await proposals.approve(actor, request);
    if (isRefusal(approved)) return approved;
    return { ...(approved.proposal as Sent), edit: wireResult(approved.edit, unit) };
  },

  "proposal.reject": ({ proposals }, { actor }, { id, reason }) =>
    sent(proposals.reject(actor, id, reason ?? null)),
};

type Sent = Result<"proposal.get">;

async function sent(shown: Promise<Outcome<ShownProposal>>): Promise<Outcome<Sent>> {
  return (await shown) as Outcome<Sent>;
}
