import { isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { isRejection, type Refusal } from "../../workspace/outcome/refusal.ts";

/** Notifies a document's subscribers of an edit that did not fit; other refusals cause no notification. */
export function notifyRejection(
  workspace: Workspace,
  { name, agent }: Actor,
  request: { readonly method: string; readonly path: string | undefined },
  refusal: Refusal,
): void {
  const { code, message, suggestion } = refusal;
  const path = request.path === undefined ? undefined : parsePath(request.path);
  if (!isRejection(code) || path === undefined || isPathProblem(path)) return;
  const real = workspace.ports.files.resolve(path);
  workspace.emit({
    type: "rejected",
    path: typeof real === "string" ? real : path,
    author: name,
    agent,
    method: request.method,
    code,
    reason: rejectionReasonOf(refusal),
    message,
    ...(suggestion !== undefined && { suggestion }),
  });
}

/** Returns the reason of a refusal in one word: a patch's own reason, else the code. */
export function rejectionReasonOf({ code, details }: Refusal): string {
  const { reason } = details;
  return typeof reason === "string" && /^[a-z_]+$/.test(reason) ? reason : code.toLowerCase();
}
