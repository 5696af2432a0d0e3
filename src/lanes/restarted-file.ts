import type { Files, Image } from "../mirror/files.ts";
import type { Document } from "../workspace/document/document.ts";
import type { Workspace } from "../workspace/folder/workspace.ts";
import { isRefusal } from "../workspace/outcome/refusal.ts";
import type { LaneFileRecord } from "./records/record.ts";

/** A lane at the first start after a restart of the machine. */
export interface RestartedLane {
  readonly workspace: Pick<Workspace, "ports" | "limits" | "opened" | "openedById">;
  /** The files of the lane. */
  readonly files: Files;
}

/** Returns the file as the daemon last knew it, and the version that was to take its place. */
export function imagesOf({ image, staged }: LaneFileRecord): readonly Image[] {
  return [image, staged?.image].filter((one) => one !== undefined);
}

/** Opens the document of a lane's file; returns undefined where the workspace has none, or cannot open it now. */
export async function openedFor(
  workspace: RestartedLane["workspace"],
  { path, docId }: LaneFileRecord,
): Promise<Document | undefined> {
  const opened = await (docId === undefined ? workspace.opened(path) : workspace.openedById(docId));
  return opened === undefined || isRefusal(opened) ? undefined : opened;
}
