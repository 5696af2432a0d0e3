import { type Actor, DISK } from "../access/actor.ts";
import type { FilePatchRecord } from "../edits/batch-record.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { History } from "./history.ts";
import type { TimelineEntry } from "./timeline.ts";

/** The most changes in a row that a search for a batch without a record reads and that are none of the batch. */
export const MOST_BESIDE_BATCH = 20_000;

/** Returns the files of a batch's record that the actor may read, under their former and their present name (RI62). */
export function readableFiles(
  { ports: { store } }: Workspace,
  { rights }: Actor,
  files: readonly FilePatchRecord[],
): readonly FilePatchRecord[] {
  return files.filter(({ docId, docPath }) => {
    const path = store.document(docId)?.path ?? docPath;
    return rights.allows(path, "read") && rights.allows(docPath, "read");
  });
}

/**
 * Returns the changes of a batch that the actor may read (RI62), newest first. The size of a batch is the most changes
 * that it may have, so the search also ends after many changes that are none of it.
 */
export async function changesOfBatch(
  workspace: Workspace,
  history: History,
  { rights }: Actor,
  batchId: string,
): Promise<TimelineEntry[]> {
  const found: TimelineEntry[] = [];
  const everything = new GuardedWorkspace(workspace, DISK, "read");
  let beside = 0;
  for await (const entry of history.entries(everything, { withIgnored: true })) {
    const { batch } = entry.change;
    if (batch?.id !== batchId) {
      if (++beside === MOST_BESIDE_BATCH) break;
      continue;
    }
    beside = 0;
    found.push(entry);
    if (found.length === batch.size) break;
  }
  return found.filter(({ record }) => rights.allows(record.path, "read"));
}
