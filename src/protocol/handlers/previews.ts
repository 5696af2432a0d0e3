import { fileDiff } from "../../workspace/file-diff.ts";
import type { Refused } from "../../workspace/prepare.ts";
import { isRefusal, Refusal } from "../../workspace/refusal.ts";
import type { Preview } from "../../workspace/together.ts";
import { invalidParams } from "../invalid-params.ts";
import type { previews as schemas } from "../schemas/batches.ts";
import { methods, type Params, type Result } from "../schemas.ts";
import type { Peer, Service } from "../service.ts";
import { batchRequest, wireView } from "./batches.ts";
import { type EditMethod, editRequest, wireResult } from "./edits.ts";
import type { Handlers } from "./handler.ts";

export const previewHandlers: Handlers<keyof typeof schemas> = {
  async "preview.create"(service, peer, { method, params }) {
    const checked = methods[method].params.safeParse(params);
    if (!checked.success) return invalidParams(method, checked.error);
    const made = await preview(service, peer, method, checked.data);
    if ("refused" in made) return first(made.refused);
    const { shown, files } = made;
    const { patchId: patch_id, baseHash: base_hash, confirm, expires } = shown;
    service.log("info", "preview.created", {
      patch_id,
      method,
      files: files.length,
      agent: peer.actor.agent,
    });
    const told: Result<"preview.create">["files"] = [];
    for (const { path, before, after, applied, warnings } of files) {
      const diff = await fileDiff(path, before, after);
      told.push({ path, diff, ...(applied && { applied }), warnings: [...warnings] });
    }
    return {
      patch_id,
      base_hash,
      files: told,
      confirmationRequired: confirm !== undefined,
      expires: new Date(expires).toISOString(),
    };
  },

  async "preview.apply"({ editor, batches, log }, { actor, unit }, { patch_id, base_hash, confirm }) {
    const tokens = { patchId: patch_id, baseHash: base_hash, confirm };
    const applied = await editor.applyPreview(actor, tokens);
    const { agent } = actor;
    if (isRefusal(applied)) {
      log("info", "preview.refused", { patch_id, code: applied.code, agent });
      return applied;
    }
    const batchId = applied.shown.options.batch;
    const files = applied.made.map((result) => wireResult(result, unit));
    log("info", "preview.applied", {
      patch_id,
      batchId,
      changeIds: files.map(({ changeId }) => changeId),
      agent,
    });
    if (batchId === undefined) return { patch_id, files };
    const batch = await batches.find(batchId);
    return { patch_id, files, ...(!isRefusal(batch) && { batch: wireView(batch) }) };
  },
};

function preview(
  { editor, batches }: Service,
  { unit }: Peer,
  method: EditMethod | "batch.apply",
  params: unknown,
): Promise<Preview | { readonly refused: readonly Refused[] }> {
  if (method === "batch.apply") return batches.preview(batchRequest(params as Params<"batch.apply">));
  const request = editRequest(method, params as Params<EditMethod>, unit);
  return editor.preview([{ ...request, onStale: request.onStale ?? "reject" }]);
}

/** The first reason, and in its details the others. */
function first(refused: readonly Refused[]): Refusal {
  const { code, message, suggestion, details } = refused[0]!.refusal;
  const all = refused.map(({ index, refusal }) => ({
    fileIndex: index,
    code: refusal.code,
    message: refusal.message,
  }));
  return new Refusal(code, message, {
    ...(suggestion !== undefined && { suggestion }),
    details: { ...details, ...(all.length > 1 && { errors: all }) },
  });
}
