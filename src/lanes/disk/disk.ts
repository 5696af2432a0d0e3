import { markLane } from "../../state/lane-mark.ts";
import { bootId } from "../../system/boot.ts";
import { fill } from "./fill.ts";
import { isFolderOf, makeFolder, removeFolder, removeRemains, writersLook } from "./folder.ts";
import { addWorktree, looseCommit, removeWorktree } from "./worktree.ts";

/** Makes and removes the folders of lanes on the disk. */
export const laneDisk = {
  makeFolder,
  isFolderOf,
  removeFolder,
  removeRemains,
  writersLook,
  markLane,
  fill,
  addWorktree,
  looseCommit,
  removeWorktree,
  bootId,
} as const;

export type LaneDisk = typeof laneDisk;
