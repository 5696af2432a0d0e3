import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type DaemonFile, readDaemonFile } from "../state/daemon-file.ts";
import { checkWorkspace, STATE_FOLDER } from "../state/folder.ts";
import { isWorktree, worktreeNotesOf, worktreesIn } from "../state/git-notes.ts";
import { laneAt } from "../state/lane-mark.ts";
import { sameProcessLives } from "./process.ts";

/** A daemon's file, the workspace folder that it serves, and the live folder where the search began. */
export interface Located extends DaemonFile, Place {}

/** A live folder, and its workspace. */
interface Place {
  /** The folder of the workspace. */
  readonly root: string;
  /** The folder whose files have the documents' paths: the workspace's, or a lane's. */
  readonly tree: string;
}

/** The result of a search for a folder's daemon. */
export type DaemonSighting =
  | { readonly kind: "none" }
  /** The `daemon.json` there was not written by this user's daemon, so it is not used. */
  | { readonly kind: "doubtful"; readonly root: string; readonly reason: string }
  /** The daemon's process has ended, or this one does not see it: each may be in a container of its own. */
  | { readonly kind: "ended"; readonly located: Located }
  | { readonly kind: "located"; readonly located: Located };

/**
 * Returns the workspace that contains a folder: the nearest folder upwards with a `.spliced` folder, or the workspace
 * of the lane that this is. A linked worktree of git inside a workspace is one of its own, also before it has such a
 * folder.
 * @throws StateError when others than this user and root own or can write that workspace; the search stops there
 */
export function findWorkspace(from: string): string | undefined {
  return placeOf(from)?.root;
}

/** Returns the nearest live folder upwards. Only this user's seal makes a folder a lane of another. @throws StateError */
function placeOf(from: string): Place | undefined {
  let worktree: string | undefined;
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (lstatSync(join(folder, STATE_FOLDER), { throwIfNoEntry: false }) !== undefined) {
      if (worktree !== undefined && isWorktreeOf(folder, worktree)) {
        checkWorkspace(worktree);
        return { root: worktree, tree: worktree };
      }
      checkWorkspace(folder);
      const root = laneAt(folder)?.workspace ?? folder;
      if (root !== folder) checkWorkspace(root);
      return { root, tree: folder };
    }
    if (worktree === undefined && isWorktree(folder)) worktree = folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns true for a linked worktree of the git repository that a workspace around it is in. */
export function isWorktreeOf(workspace: string, worktree: string): boolean {
  const [root, top] = [realpathSync(workspace), realpathSync(worktree)];
  const notes = worktreeNotesOf(root);
  return notes !== undefined && existsSync(notes) && worktreesIn(root, notes).includes(relative(root, top));
}

/** Looks for the daemon of the workspace that contains a folder, without contacting it. @throws StateError */
export function lookForDaemon(from: string): DaemonSighting {
  const place = placeOf(from);
  if (place === undefined) return { kind: "none" };
  const { root } = place;
  const read = readDaemonFile(join(root, STATE_FOLDER));
  switch (read.kind) {
    case "none":
      return read;
    case "doubtful":
      return { ...read, root };
    case "genuine": {
      const located = { ...read.info, ...place };
      return { kind: sameProcessLives(located) ? "located" : "ended", located };
    }
  }
}

/**
 * Returns the daemon of the workspace that contains a folder, as its file describes it; undefined when none
 * runs. `challenge` (prove.ts) verifies its address before anything is sent there.
 * @throws StateError
 */
export function locateDaemon(from: string): Located | undefined {
  const sighting = lookForDaemon(from);
  return sighting.kind === "located" ? sighting.located : undefined;
}

/** Returns the document path of a path that a person typed in the folder `from`; `tree` is the live folder. */
export function documentPath(tree: string, from: string, typed: string): string {
  return relative(tree, resolve(from, typed)).split(sep).join("/");
}
