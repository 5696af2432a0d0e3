import { setImmediate } from "node:timers/promises";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { type PreviewTexts, previewTexts } from "./preview-file.ts";
import type { Preview, Previews, StoredPreview } from "./previews.ts";

const MOST_LISTED = 100;

/**
 * Lists the previews that wait for a confirmation, newest first, whose documents the actor may all read. The list omits
 * a preview whose documents have changed since, because it cannot be applied. `more`: there are older ones.
 */
export async function waitingPreviews(
  workspace: GuardedWorkspace,
  previews: Previews,
): Promise<{ readonly waiting: readonly Preview[]; readonly more: boolean }> {
  const waiting: Preview[] = [];
  for (const stored of previews.waiting()) {
    await setImmediate(); // other clients get a turn (I14)
    const files = await textsOf(workspace, stored);
    if (files === undefined) continue;
    if (waiting.length === MOST_LISTED) return { waiting, more: true };
    waiting.push({ stored, files });
  }
  return { waiting, more: false };
}

/** Returns the texts of a preview; undefined when a document was replaced, or is at another version. */
async function textsOf(
  workspace: GuardedWorkspace,
  stored: StoredPreview,
): Promise<PreviewTexts[] | undefined> {
  const files: PreviewTexts[] = [];
  for (const file of stored.files) {
    const document = await workspace.open(file.path);
    if (isRefusal(document) || document.id !== file.docId || document.version !== file.version)
      return undefined;
    files.push(previewTexts(file, document.text));
  }
  return files;
}
