import type { Actor } from "../access/actor.ts";
import type { Editor } from "../edits/editor.ts";
import type { EditRequest, EditResult } from "../edits/request.ts";
import { versionText } from "../folder/documents.ts";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Cause } from "../journal/change.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { planWrite } from "../planners/whole.ts";
import type { Version } from "../versions/version.ts";

type Common = Pick<EditRequest, "ack" | "opId" | "message" | "batch">;

/** Restores a document's text at a version, or a text, by an ordinary edit. A deleted document gets its file back first. */
export async function restoreVersion(
  { workspace, editor }: { readonly workspace: GuardedWorkspace; readonly editor: Editor },
  actor: Actor,
  path: string,
  at: Version | { readonly text: string },
  common: Common,
): Promise<Outcome<EditResult>> {
  const request = await restoreRequest(workspace, path, at, common);
  return isRefusal(request) ? request : editor.edit(actor, request);
}

/** Returns the edit that restores a document's text at a version, or a text. A deleted document gets its file back first. */
export async function restoreRequest(
  workspace: GuardedWorkspace,
  path: string,
  at: Version | { readonly text: string },
  common: Common,
): Promise<Outcome<EditRequest>> {
  const document = await workspace.opened(path);
  if (isRefusal(document)) return document;
  const text = typeof at === "string" ? versionText(document, at) : at.text;
  if (isRefusal(text)) return text;
  const refused = document.deleted ? await workspace.restore(path, causeOf(common)) : undefined;
  if (isRefusal(refused)) return refused;
  return { ...common, kind: "restore", path, plan: planWrite(text.toString()) };
}

/** Returns the cause of a restored file: the batch that it is part of. */
function causeOf({ batch, message }: Common): Cause | undefined {
  return batch && { batch, ...(message !== undefined && { message }) };
}
