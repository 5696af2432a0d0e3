import { isPathProblem, parsePath } from "../../mirror/path.ts";
import type { Actor } from "../../workspace/access/actor.ts";
import type { Workspace } from "../../workspace/folder/workspace.ts";
import { isRejection, type Refusal } from "../../workspace/outcome/refusal.ts";

/** Tells the subscribers of a document of an edit that was refused for not fitting it; of other refusals nobody. */
export function tellOfRejection(
  workspace: Workspace,
  { name, agent }: Actor,
  asked: { readonly method: string; readonly path: string | undefined },
  refusal: Refusal,
): void {
  const { code, message, suggestion } = refusal;
  const path = asked.path === undefined ? undefined : parsePath(asked.path);
  if (!isRejection(code) || path === undefined || isPathProblem(path)) return;
  const real = workspace.ports.files.resolve(path);
  workspace.emit({
    type: "rejected",
    path: typeof real === "string" ? real : path,
    author: name,
    agent,
    method: asked.method,
    code,
    reason: rejectionReasonOf(refusal),
    message,
    ...(suggestion !== undefined && { suggestion }),
  });
}

/** In one word. A refused patch has its own; other codes speak for themselves. */
export function rejectionReasonOf({ code, details }: Refusal): string {
  const { reason } = details;
  return typeof reason === "string" && /^[a-z_]+$/.test(reason) ? reason : code.toLowerCase();
}
