import { isRefused } from "../../workspace/edits/request.ts";
import { isRefusal, type Outcome } from "../../workspace/outcome/refusal.ts";
import type { ShownProposal } from "../../workspace/proposals/show.ts";
import type { proposals as schemas } from "../schemas/proposals.ts";
import { proposedFile } from "./batch-request.ts";
import { wireResult } from "./edits.ts";
import type { Handlers } from "./handler.ts";
import { combinedRefusal } from "./invoke-result.ts";
import { type WireProposal, wireProposal } from "./wire-proposal.ts";

export const proposalHandlers: Handlers<keyof typeof schemas> = {
  async "proposal.create"({ proposals, workspace }, { actor }, params) {
    const { old_content: oldContent, proposed_value: proposedValue, source_query: sourceQuery } = params;
    const { path, operation, patch, version, sha256, files, field, reasoning, confidence, opId } = params;
    const notes = { field, reasoning, confidence, sourceQuery, opId };
    if (files === undefined) {
      const edit = { path: path!, operation: operation!, patch, version, sha256, oldContent, proposedValue };
      return wireOutcome(proposals.create(actor, { ...notes, ...edit }));
    }
    const made = await proposals.createOfFiles(actor, {
      ...notes,
      files: files.map((file) => proposedFile(file, workspace.root)),
    });
    if (!isRefused(made)) return wireProposal(made.proposal);
    return combinedRefusal(
      made.refused,
      files.map((file) => file.path),
    );
  },

  async "proposal.list"({ proposals }, { actor }, query) {
    const listed = await proposals.list(actor, query);
    if (isRefusal(listed)) return listed;
    return { more: listed.more, proposals: listed.proposals.map(wireProposal) };
  },

  "proposal.get": ({ proposals }, { actor }, { id, context }) =>
    wireOutcome(proposals.get(actor, id, context)),

  async "proposal.approve"({ proposals }, { actor, unit }, request) {
    const approved = await proposals.approve(actor, request);
    if (isRefusal(approved)) return approved;
    const { proposal, results, obsolete } = approved;
    const edits = results.map((result) => wireResult(result, unit));
    return {
      ...wireProposal(proposal),
      edit: edits[0]!,
      ...(proposal.files !== undefined && { edits }),
      obsolete: obsolete.map(({ id, path, author, status, problem }) => ({
        id,
        path,
        author,
        status,
        problem,
      })),
    };
  },

  "proposal.reject": ({ proposals }, { actor }, { id, reason }) =>
    wireOutcome(proposals.reject(actor, id, reason ?? null)),
};

async function wireOutcome(outcome: Promise<Outcome<ShownProposal>>): Promise<Outcome<WireProposal>> {
  const shown = await outcome;
  return isRefusal(shown) ? shown : wireProposal(shown);
}
