import { lstatSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type DaemonFile, readDaemonFile } from "../state/daemon-file.ts";
import { checkWorkspace, STATE_FOLDER } from "../state/folder.ts";
import { processLives } from "./process.ts";

/** A daemon's file and the workspace folder that it serves. */
export interface Located extends DaemonFile {
  readonly root: string;
}

/** The result of a search for a folder's daemon. */
export type DaemonSighting =
  | { readonly kind: "none" }
  /** The `daemon.json` there was not written by this user's daemon, so it is not used. */
  | { readonly kind: "doubtful"; readonly root: string; readonly reason: string }
  /** The daemon's process has ended. */
  | { readonly kind: "ended"; readonly located: Located }
  | { readonly kind: "located"; readonly located: Located };

/**
 * Returns the workspace that contains a folder: the nearest folder upwards with a `.spliced` folder.
 * @throws StateError when others than this user and root own or can write that workspace; the search stops there
 */
export function findWorkspace(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (lstatSync(join(folder, STATE_FOLDER), { throwIfNoEntry: false }) !== undefined) {
      checkWorkspace(folder);
      return folder;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Looks for the daemon of the workspace that contains a folder, without contacting it. @throws StateError */
export function lookForDaemon(from: string): DaemonSighting {
  const root = findWorkspace(from);
  if (root === undefined) return { kind: "none" };
  const read = readDaemonFile(join(root, STATE_FOLDER));
  switch (read.kind) {
    case "none":
      return read;
    case "doubtful":
      return { ...read, root };
    case "genuine": {
      const located = { ...read.info, root };
      return { kind: processLives(located.pid) ? "located" : "ended", located };
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

/** Returns the document path of a path that a person typed in the folder `from`. */
export function documentPath(root: string, from: string, typed: string): string {
  return relative(root, resolve(from, typed)).split(sep).join("/");
}
