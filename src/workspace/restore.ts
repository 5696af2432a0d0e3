import type { Actor } from "./actor.ts";
import { versionText } from "./documents.ts";
import type { Editor } from "./edit.ts";
import { planWrite } from "./edits/whole.ts";
import type { GuardedWorkspace } from "./guarded.ts";
import { isRefusal, type Outcome } from "./refusal.ts";
import type { EditRequest, EditResult } from "./request.ts";
import type { Version } from "./version.ts";

/** Makes a document's text what it was at a version, by an edit like another; a deleted one gets its file again. */
export async function restoreVersion(
  { workspace, editor }: { readonly workspace: GuardedWorkspace; readonly editor: Editor },
  actor: Actor,
  path: string,
  version: Version,
  common: Pick<EditRequest, "ack" | "opId" | "message">,
): Promise<Outcome<EditResult>> {
  const document = await workspace.opened(path);
  if (isRefusal(document)) return document;
  const text = versionText(document, version);
  if (isRefusal(text)) return text;
  const refused = document.deleted ? await workspace.restore(path) : undefined;
  if (isRefusal(refused)) return refused;
  return editor.edit(actor, { ...common, kind: "restore", path, plan: planWrite(text.toString()) });
}
