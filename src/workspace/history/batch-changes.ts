import { DISK } from "../access/actor.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { History } from "./history.ts";
import type { TimelineEntry } from "./timeline.ts";

/** Returns all changes of a batch, newest first, readable to the caller or not. */
export async function changesOfBatch(
  workspace: Workspace,
  history: History,
  batchId: string,
): Promise<TimelineEntry[]> {
  const found: TimelineEntry[] = [];
  const everything = new GuardedWorkspace(workspace, DISK, "read");
  for await (const entry of history.entries(everything, { withIgnored: true })) {
    const { batch } = entry.change;
    if (batch?.id !== batchId) continue;
    found.push(entry);
    if (found.length === batch.size) break;
  }
  return found;
}
