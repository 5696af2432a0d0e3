import type { Actor } from "../../workspace/access/actor.ts";
import { isProposable } from "../../workspace/access/refusals.ts";
import type { ChangeView } from "../../workspace/batches/change-view.ts";
import type { BatchRequest } from "../../workspace/edits/batch-record.ts";
import { isRefused, type RefusedEdits } from "../../workspace/edits/request.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import type { batches as schemas } from "../schemas/batches.ts";
import type { Result } from "../schemas/schemas.ts";
import type { GuardedService } from "../service/service.ts";
import { batchRequest, pathsOf, proposedFiles } from "./batch-request.ts";
import type { Handlers } from "./handler.ts";
import { combinedRefusal } from "./invoke-result.ts";
import { wireProposal } from "./wire-proposal.ts";

export const batchHandlers: Handlers<keyof typeof schemas> = {
  async "batch.apply"(service, { actor }, params) {
    const { batches, log, workspace } = service;
    const batchId = batches.newId();
    const changes = params.files.reduce((sum, file) => sum + (file.changes?.length ?? 1), 0);
    log("info", "batch.received", { batchId, agent: actor.agent, files: params.files.length, changes });
    const request = batchRequest(params, workspace.root);
    const applied = await batches.apply(actor, request, batchId);
    const made = isAnyProposable(applied) ? await proposedBatch(service, actor, request) : applied;
    if (isRefused(made)) {
      for (const { index, refusal } of made.refused)
        service.rejected(actor, { method: "batch.apply", path: params.files[index ?? -1]?.docPath }, refusal);
      return combinedRefusal(made.refused, pathsOf(params));
    }
    if ("proposal" in made) {
      log("info", "batch.proposed", { batchId, proposal: made.proposal, files: made.files.length, changes });
      return { successful: true, result: made, errors: [] };
    }
    const messageId = actor.answers?.messageId;
    log("info", "batch.applied", { batchId: made.batchId, messageId, files: made.files.length, changes });
    return { successful: true, result: wireView(made), errors: [] };
  },

  async "change.get"({ batches }, { actor }, { batchId, filePatchId, changeId }) {
    const found = await batches.findAgreed(
      actor,
      [changeId, filePatchId, batchId].filter((id) => id !== undefined),
    );
    return isRefusal(found) ? found : wireView(found);
  },
};

/** True for a refused batch that its author may propose, at least in part. */
export function isAnyProposable(made: object): boolean {
  return isRefused(made) && made.refused.some(({ refusal }) => isProposable(refusal));
}

/** Proposes a batch that its author may not make; the answer shows the changes that an approval would make. */
async function proposedBatch(
  { proposals }: GuardedService,
  actor: Actor,
  request: BatchRequest,
): Promise<(Result<"change.get"> & { readonly proposal: string }) | RefusedEdits> {
  const { opId, message, notes } = request;
  const reasoning = message ?? notes.batchLabel;
  const made = await proposals.createOfFiles(actor, { files: proposedFiles(request), opId, reasoning });
  if (isRefused(made)) return made;
  const proposal = wireProposal(made.proposal);
  const { id, author, created_at: time } = proposal;
  const common = { filePatchId: null, changeId: null, mirrored: false, changes: [] };
  return {
    batchId: null,
    proposal: id,
    ...(notes as object),
    author,
    time,
    ...(message !== undefined && { message }),
    files: (proposal.files ?? [proposal]).map(({ path, version, diff, operation }) => ({
      ...common,
      ...fileOperation(operation),
      docPath: path,
      path,
      version: version ?? "",
      diff,
    })),
  };
}

function fileOperation(operation: string): { readonly operation?: "create" | "delete" | "rename" } {
  return operation === "create" || operation === "delete" || operation === "rename" ? { operation } : {};
}

/** Returns a view as the type of its schema, which is not readonly. */
export function wireView(view: ChangeView): Result<"change.get"> {
  return view as Result<"change.get">;
}
