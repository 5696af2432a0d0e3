import { lstatSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type DaemonFile, readDaemonFile } from "../state/daemon-file.ts";
import { checkWorkspace, STATE_FOLDER } from "../state/folder.ts";
import { processLives } from "./process.ts";

/** A daemon, and the workspace folder that it serves. */
export interface Located extends DaemonFile {
  readonly root: string;
}

/** What there is of a daemon for a folder. */
export type DaemonSighting =
  | { readonly kind: "none" }
  /** There is a `daemon.json` that no daemon of this user wrote there: nothing of it is used. */
  | { readonly kind: "doubtful"; readonly root: string; readonly reason: string }
  /** Its process has ended. */
  | { readonly kind: "ended"; readonly located: Located }
  | { readonly kind: "located"; readonly located: Located };

/**
 * The workspace that a folder is in: the nearest one upwards with a `.spliced` folder, as git does.
 * @throws StateError when that one is not this user's (or root's) alone: it is not used, and neither is one above
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

/** Looks for the daemon of the workspace that a folder is in; nothing is asked of it yet. @throws StateError */
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
 * The daemon that serves the workspace a folder is in, as it said of itself; undefined when none runs. That it still
 * is at its address shows when it proves it (`prove.ts`), which comes before anything is sent there.
 * @throws StateError
 */
export function locateDaemon(from: string): Located | undefined {
  const sight = lookForDaemon(from);
  return sight.kind === "located" ? sight.located : undefined;
}

/** A path as typed in a folder, as the workspace's documents are named. */
export function documentPath(root: string, from: string, typed: string): string {
  return relative(root, resolve(from, typed)).split(sep).join("/");
}
