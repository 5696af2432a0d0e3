import type { DocumentRecord } from "../../store/store.ts";
import { absentRefusal } from "../access/refusals.ts";
import type { Document } from "../document/document.ts";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";

/** Opens a document, also a deleted one whose path another document has now: it then has a path of its own. */
export async function openTarget(
  guarded: GuardedWorkspace,
  { id, path }: Pick<DocumentRecord, "id" | "path">,
): Promise<Outcome<Document>> {
  const there = await guarded.opened(path);
  if (isRefusal(there) || there.id === id) return there;
  const document = (await guarded.openedById(id)) ?? absentRefusal(path);
  return isRefusal(document) ? document : guarded.opened(document.path);
}
