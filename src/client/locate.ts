import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { processLives } from "./process.ts";

/** What `.spliced/daemon.json` says while a daemon is ready. */
export interface DaemonFile {
  readonly pid: number;
  readonly url: string;
  readonly rpc: string;
  readonly token: string;
  readonly version: string;
  readonly startedAt: string;
  /** Which `.spliced` it was put into (`folderId`): a copy of a workspace has the file, too. */
  readonly folder?: string;
}

/** A daemon, and the workspace folder that it serves. */
export interface Located extends DaemonFile {
  readonly root: string;
}

/** The workspace that a folder is in: the nearest one upwards with a `.spliced` folder, as git does. */
export function findWorkspace(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".spliced"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The daemon that serves the workspace a folder is in; undefined when none runs. */
export function locateDaemon(from: string): Located | undefined {
  const root = findWorkspace(from);
  const located = root === undefined ? undefined : readDaemonFile(root);
  if (root === undefined || located === undefined || !processLives(located.pid)) return undefined;
  return located.folder === undefined || located.folder === folderId(join(root, ".spliced"))
    ? located
    : undefined;
}

/** Tells a folder from all others on the machine, also from copies of it; it is the same wherever it is moved to. */
export function folderId(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** A path as typed in a folder, as the workspace's documents are named. */
export function documentPath(root: string, from: string, typed: string): string {
  return relative(root, resolve(from, typed)).split(sep).join("/");
}

function readDaemonFile(root: string): Located | undefined {
  try {
    return {
      ...(JSON.parse(readFileSync(join(root, ".spliced", "daemon.json"), "utf8")) as DaemonFile),
      root,
    };
  } catch (error) {
    // None, or none that a daemon wrote: it appears whole or not at all.
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
