import { DISK } from "../access/actor.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { History } from "./history.ts";
import type { TimelineEntry } from "./timeline.ts";

/** The most changes in a row that a search for a batch without a record reads and that are none of the batch. */
export const MOST_BESIDE_BATCH = 20_000;

/**
 * Returns the changes of a batch, newest first, readable to the caller or not. The size of a batch is the most changes
 * that it may have, so the search also ends after many changes that are none of it.
 */
export async function changesOfBatch(
  workspace: Workspace,
  history: History,
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
  return found;
}
