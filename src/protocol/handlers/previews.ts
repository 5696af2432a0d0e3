import { MOST_FILES } from "../../work/bounds.ts";
import { isProposable } from "../../workspace/access/refusals.ts";
import { requestOfPreview } from "../../workspace/batches/make-batch.ts";
import type { PreviewTexts } from "../../workspace/edits/preview-file.ts";
import { type Preview, previewMoved, type StoredPreview } from "../../workspace/edits/previews.ts";
import { isRefused } from "../../workspace/edits/request.ts";
import { isRefusal, type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";
import { documentDiff } from "../../workspace/workers/text-diff.ts";
import type { TokenWorkers } from "../../workspace/workers/workers.ts";
import { invalidParams } from "../params/invalid-params.ts";
import { checkParams } from "../params/left-out.ts";
import { withOwnNames } from "../params/parameter-names.ts";
import type { previews as schemas } from "../schemas/batches.ts";
import type { Params, Result } from "../schemas/schemas.ts";
import type { GuardedService, Requester } from "../service/service.ts";
import { answeringAs } from "./answering.ts";
import { batchRequest, pathsOf, proposedFiles } from "./batch-request.ts";
import { isAnyProposable, wireView } from "./batches.ts";
import { editRequests, type RequestBuilder, wireResult } from "./edits.ts";
import type { Handlers } from "./handler.ts";
import { undoRequestOf } from "./history.ts";
import { combinedRefusal } from "./invoke-result.ts";
import { legacyRequests } from "./legacy.ts";

export const previewHandlers: Handlers<keyof typeof schemas> = {
  async "preview.create"(service, requester, { method, params }) {
    const named = withOwnNames(method, params);
    if (isRefusal(named)) return named;
    const checked = checkParams(method, named);
    if (!checked.success) return invalidParams(method, checked.error);
    if (method === "undo") return previewOfUndo(service, requester, checked.data as Params<"undo">);
    const author = answeringAs(service, requester, checked.data as object);
    if (isRefusal(author)) return author;
    const made = await preview(service, author, method, checked.data);
    if (isRefusal(made)) return made;
    const { stored, files } = made;
    const { patchId: patch_id, baseHash: base_hash, confirm, expires } = stored;
    const previewFiles = await wireFiles(service.workspace.workers, files);
    if (isRefusal(previewFiles)) return previewFiles;
    service.log("info", "preview.created", {
      patch_id,
      method,
      files: files.length,
      agent: requester.actor.agent,
    });
    return {
      patch_id,
      base_hash,
      files: previewFiles,
      confirmationRequired: confirm !== undefined,
      expires: new Date(expires).toISOString(),
    };
  },

  async "preview.apply"(service, requester, { patch_id, base_hash, confirm }) {
    const { editor, undoing, log } = service;
    const { actor, unit } = requester;
    if (undoing.span.hasPreview(patch_id)) {
      const undone = await undoing.span.applyPreview(actor, patch_id, base_hash);
      if (isRefusal(undone)) return undone;
      const files = undone.map((result) => wireResult(result, unit));
      const batchId = undone.length > MOST_FILES ? undefined : undoing.batchOf(undone);
      return { patch_id, files, ...(await batchView(service, requester, batchId)) };
    }
    const tokens = { patchId: patch_id, baseHash: base_hash, confirm };
    const found = editor.findPreview(actor, tokens);
    if (!isRefusal(found) && found.options.batch?.request !== undefined)
      return appliedBatch(service, requester, found);
    const applied = await editor.applyPreview(actor, tokens);
    const { agent } = actor;
    if (isProposable(applied) && !isRefusal(found)) return proposedPreview(service, requester, found);
    if (isRefusal(applied)) {
      log("info", "preview.refused", { patch_id, code: applied.code, agent });
      return applied;
    }
    const batchId = applied.stored.options.batch?.id;
    const files = applied.made.map((result) => wireResult(result, unit));
    log("info", "preview.applied", {
      patch_id,
      batchId,
      changeIds: files.map(({ changeId }) => changeId),
      messageId: applied.stored.author.answers?.messageId,
      agent,
    });
    return { patch_id, files, ...(await batchView(service, requester, batchId)) };
  },

  async "preview.list"({ workspace, editor }, { actor }) {
    const { waiting, more } = await editor.waiting(actor);
    const previews: Result<"preview.list">["previews"] = [];
    for (const { stored, files } of waiting) {
      const previewFiles = await wireFiles(workspace.workers, files);
      if (isRefusal(previewFiles)) return previewFiles;
      const { patchId: patch_id, baseHash: base_hash, author, requests, made, expires } = stored;
      previews.push({
        patch_id,
        base_hash,
        author: author.name,
        agent_id: author.agent,
        message: requests[0]?.message ?? null,
        created_at: new Date(made).toISOString(),
        expires: new Date(expires).toISOString(),
        files: previewFiles,
      });
    }
    return { previews, more };
  },
};

/** The codes that mean: the files are not as the preview showed them. */
const MOVED_ON = new Set<Refusal["code"]>(["STALE_VERSION", "NOT_FOUND", "DELETED", "ALREADY_EXISTS"]);

/** Applies a preview of a batch that also changes files. */
async function appliedBatch(
  service: GuardedService,
  requester: Requester,
  stored: StoredPreview,
): Promise<Outcome<Result<"preview.apply">>> {
  const { editor, batches, log } = service;
  const { actor, unit } = requester;
  const { patchId: patch_id } = stored;
  const made = await batches.applyPreview(actor, stored);
  if (isAnyProposable(made)) return proposedPreview(service, requester, stored);
  if (isRefused(made)) {
    const { refusal } = made.refused[0]!;
    log("info", "preview.refused", { patch_id, code: refusal.code, agent: actor.agent });
    return MOVED_ON.has(refusal.code) ? previewMoved(`${refusal.message}; nothing was applied`) : refusal;
  }
  editor.previewTaken(actor, stored, made.made);
  const batchId = stored.options.batch!.id;
  log("info", "preview.applied", { patch_id, batchId, agent: actor.agent });
  const files = made.made.map((result) => wireResult(result, unit));
  return { patch_id, files, ...(await batchView(service, requester, batchId)) };
}

/** Returns the applied batch as a field of the answer, if there is one. */
async function batchView(
  { batches }: GuardedService,
  { actor }: Requester,
  batchId: string | undefined,
): Promise<Pick<Result<"preview.apply">, "batch">> {
  const batch = batchId === undefined ? undefined : await batches.find(actor, batchId);
  return batch === undefined || isRefusal(batch) ? {} : { batch: wireView(batch) };
}

/** Proposes the edits of a preview that its author may not make. */
async function proposedPreview(
  { editor, proposals, log }: GuardedService,
  { actor, unit }: Requester,
  stored: StoredPreview,
): Promise<Outcome<Result<"preview.apply">>> {
  const { requests, patchId: patch_id } = stored;
  const batch = requestOfPreview(stored);
  const files = batch === undefined ? requests : proposedFiles(batch);
  const reasoning = batch?.message ?? batch?.notes.batchLabel ?? requests[0]?.message;
  const made = await proposals.createOfFiles(actor, { files, reasoning });
  if (isRefused(made)) return made.refused[0]!.refusal;
  editor.previewTaken(actor, stored);
  log("info", "preview.proposed", { patch_id, proposal: made.proposal.id, agent: actor.agent });
  return { patch_id, files: made.results.map((result) => wireResult(result, unit)) };
}

/** Previews the undo of everything of an agent; a single change shows its diff in the history. */
async function previewOfUndo(
  { undoing, workspace }: GuardedService,
  { actor }: Requester,
  params: Params<"undo">,
): Promise<Outcome<Result<"preview.create">>> {
  if (params.since === undefined && params.session === undefined)
    return new Refusal("INVALID_ARGUMENT", "a preview of undo needs `since` or `session`", {
      suggestion: "history.diff shows a single change.",
    });
  const shown = await undoing.previewSpan(actor, undoRequestOf(params));
  if (isRefusal(shown)) return shown;
  const files = await wireFiles(workspace.workers, shown.files);
  if (isRefusal(files)) return files;
  return {
    patch_id: shown.patchId,
    base_hash: shown.baseHash,
    files,
    confirmationRequired: false,
    expires: new Date(shown.expires).toISOString(),
  };
}

async function wireFiles(
  workers: TokenWorkers,
  files: readonly PreviewTexts[],
): Promise<Outcome<Result<"preview.create">["files"]>> {
  const wire: Result<"preview.create">["files"] = [];
  for (const { path, before, after, applied, warnings } of files) {
    const diff = await documentDiff(workers, path, before, after);
    if (isRefusal(diff)) return diff;
    wire.push({ path, diff, ...(applied && { applied }), warnings: [...warnings] });
  }
  return wire;
}

async function preview(
  service: GuardedService,
  requester: Requester,
  method: Exclude<Params<"preview.create">["method"], "undo">,
  params: unknown,
): Promise<Outcome<Preview>> {
  if (method === "batch.apply") {
    const batch = params as Params<"batch.apply">;
    const made = await service.batches.preview(requester.actor, batchRequest(batch, service.workspace.root));
    return "refused" in made ? combinedRefusal(made.refused, pathsOf(batch)) : made;
  }
  const build = { ...editRequests, ...legacyRequests }[method] as RequestBuilder<typeof method>;
  const request = build(params as Params<typeof method>, requester, service);
  if (isRefusal(request)) return request;
  const made = await service.editor.preview(requester.actor, [
    { ...request, onStale: request.onStale ?? "reject" },
  ]);
  return "refused" in made ? made.refused[0]!.refusal : made;
}
