import type { DocPath } from "../mirror/path.ts";
import type { LaneFile } from "./file/lane-file.ts";
import type { LaneFiles } from "./records/lane-files.ts";
import type { LaneFileStatus, LaneRecord } from "./records/record.ts";

/** A file of a lane that waits for a person or an agent. */
export interface WaitingFile {
  readonly path: string;
  readonly status: Exclude<LaneFileStatus, "live"> | "blocked";
  /** True for a file that the agent deleted. */
  readonly deleted: boolean;
  readonly why: string | undefined;
}

/** A lane as it is now. */
export interface ShownLane {
  readonly record: LaneRecord;
  readonly files: number;
  readonly waiting: readonly WaitingFile[];
  /** The commit that only the lane has. */
  readonly commit: string | undefined;
  /** The reason why the lane is not live at present. */
  readonly problem: string | undefined;
}

const BY_HAND = "only a person can copy it to the workspace";

/**
 * Returns the files that wait for a person or an agent, in the order of their paths. `open` are the files in use,
 * `unplaced` those that the lane could not get, with the reasons.
 */
export function waitingFiles(
  known: LaneFiles,
  open: readonly LaneFile[],
  unplaced: ReadonlyMap<DocPath, string>,
): readonly WaitingFile[] {
  const waiting = new Map<DocPath, WaitingFile>();
  for (const [path, why] of unplaced) waiting.set(path, { path, status: "blocked", deleted: false, why });
  for (const { path, status, gone = false, why } of known.all())
    if (status !== "live") waiting.set(path, { path, status, deleted: gone, why });
  for (const { path, mirror } of open) {
    const { problem } = mirror;
    if (problem === undefined) continue;
    const why = problem.kind === "not_text" ? `${problem.message}; ${BY_HAND}` : problem.message;
    waiting.set(path, { path, status: "blocked", deleted: false, why });
  }
  return [...waiting.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
