import type { ChangeView } from "../../workspace/batches/batches.ts";
import type { BatchFile, BatchRequest, ChangeNotes } from "../../workspace/edits/batch-record.ts";
import { namesBase } from "../../workspace/edits/request.ts";
import { isRefusal } from "../../workspace/outcome/refusal.ts";
import { planLines } from "../../workspace/planners/lines.ts";
import { planPatch } from "../../workspace/planners/patch.ts";
import { planWrite } from "../../workspace/planners/whole.ts";
import { combinedRefusal } from "../invoke-result.ts";
import type { batches as schemas } from "../schemas/batches.ts";
import type { Params, Result } from "../schemas.ts";
import { planReplacement } from "./edits.ts";
import type { Handlers } from "./handler.ts";

export const batchHandlers: Handlers<keyof typeof schemas> = {
  async "batch.apply"(service, { actor }, params) {
    const { batches, log, workspace } = service;
    const batchId = batches.newId();
    const changes = params.files.reduce((sum, file) => sum + (file.changes?.length ?? 1), 0);
    log("info", "batch.received", { batchId, agent: actor.agent, files: params.files.length, changes });
    const made = await batches.apply(actor, batchRequest(params, workspace.root), batchId);
    if ("refused" in made) {
      for (const { index, refusal } of made.refused)
        service.rejected(actor, { method: "batch.apply", path: params.files[index ?? -1]?.docPath }, refusal);
      return combinedRefusal(made.refused, pathsOf(params));
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

/** Returns the paths of a batch's documents, as the batch names them. */
export function pathsOf({ files }: Params<"batch.apply">): string[] {
  return files.map(({ docPath }) => docPath);
}

export function batchRequest(
  { files, onStale, ack, opId, message, thread: _thread, messageId: _id, ...notes }: Params<"batch.apply">,
  root: string,
): BatchRequest {
  return {
    files: files.map((file) => fileOf(file, root)),
    onStale,
    ack,
    opId,
    message,
    notes: given(notes),
  };
}

type File = Params<"batch.apply">["files"][number];

function fileOf(file: File, root: string): BatchFile {
  const {
    docPath: path,
    originalSha256: sha256,
    version,
    changes,
    patch,
    match,
    replace,
    text,
    ...notes
  } = file;
  const common = { path, version, sha256, notes: given(notes) };
  if (changes !== undefined)
    return {
      ...common,
      kind: "lines",
      aim: "places",
      plan: planLines(changes),
      changes: changes.map(notesOf),
    };
  if (patch !== undefined)
    return {
      ...common,
      kind: "patch",
      aim: "content",
      plan: planPatch(patch, match, namesBase(common), { path, root }),
      changes: [{ operation: "patch" }],
    };
  if (replace !== undefined)
    return {
      ...common,
      kind: "replace",
      aim: "content",
      plan: planReplacement(replace),
      changes: [{ operation: "replace" }],
    };
  return { ...common, kind: "write", aim: "text", plan: planWrite(text!), changes: [{ operation: "text" }] };
}

/** Returns a change without its texts. */
function notesOf(change: NonNullable<File["changes"]>[number]): ChangeNotes {
  const { changeKey, operation, description, severity, category, tags } = change;
  const at =
    change.operation === "insert"
      ? { afterLine: change.afterLine }
      : { startLine: change.startLine, endLine: change.endLine };
  return { operation, ...given({ changeKey, description, severity, category, tags }), ...at };
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns an object without its undefined properties. */
function given<T extends object>(notes: T): Given<T> {
  return Object.fromEntries(Object.entries(notes).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Returns a view as the type of its schema, which is not readonly. */
export function wireView(view: ChangeView): Result<"change.get"> {
  return view as Result<"change.get">;
}
