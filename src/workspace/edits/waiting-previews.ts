import { setImmediate } from "node:timers/promises";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { type Preview, type PreviewFile, previewFile } from "./apply.ts";
import type { Previews, StoredPreview } from "./previews.ts";

const MOST_LISTED = 100;

/**
 * The previews that wait to be confirmed, newest first, as far as all of their documents may be read. One whose
 * documents have changed since it was shown can be applied no more, and does not wait. `more` when there are older ones.
 */
export async function waitingPreviews(
  workspace: GuardedWorkspace,
  previews: Previews,
): Promise<{ readonly waiting: readonly Preview[]; readonly more: boolean }> {
  const waiting: Preview[] = [];
  for (const shown of previews.waiting()) {
    await setImmediate(); // others get a turn
    const files = await stillShown(workspace, shown);
    if (files === undefined) continue;
    if (waiting.length === MOST_LISTED) return { waiting, more: true };
    waiting.push({ shown, files });
  }
  return { waiting, more: false };
}

/** Undefined when a document is not the one that was shown, or not at that version. */
async function stillShown(
  workspace: GuardedWorkspace,
  shown: StoredPreview,
): Promise<PreviewFile[] | undefined> {
  const files: PreviewFile[] = [];
  for (const file of shown.files) {
    const document = await workspace.open(file.path);
    if (isRefusal(document) || document.id !== file.docId || document.version !== file.version)
      return undefined;
    files.push(previewFile(file, document.text));
  }
  return files;
}
