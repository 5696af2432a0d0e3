import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { openToRead } from "../../mirror/disk/reading.ts";
import { imageOf } from "../../mirror/disk/stat.ts";
import { type Image, isFileProblem } from "../../mirror/files.ts";
import { type DocPath, pathInside } from "../../mirror/path.ts";
import { isWithin } from "../../paths/within.ts";
import { STATE_FOLDER } from "../../state/folder.ts";
import { laneAt, MARK } from "../../state/lane-mark.ts";
import { StateError } from "../../state/trust.ts";
import { writersProbe } from "../../system/files.ts";
import { pauses } from "../../work/pause.ts";
import { RESERVED_NAMES } from "../../workspace/access/actor.ts";
import { type Outcome, Refusal } from "../../workspace/outcome/refusal.ts";

/** The letters that are safe in names of folders, of git's worktrees and of authors. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns the refusal of a lane's name; undefined for a good one. */
export function nameRefusal(name: string): Refusal | undefined {
  if (NAME.test(name) && !RESERVED_NAMES.has(name.toLowerCase())) return undefined;
  return new Refusal("INVALID_ARGUMENT", `${JSON.stringify(name)} cannot be the name of a lane`, {
    suggestion: "Give 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit.",
  });
}

/** Returns the default folder of a lane: beside the workspace, on the same file system. */
export function defaultFolder(root: string, name: string): string {
  return join(dirname(root), `${basename(root)}.lanes`, name);
}

/**
 * Makes the folder of a new lane. Refuses a folder in the workspace, around it, or in another workspace, and a folder
 * with files.
 */
export function makeFolder(root: string, wanted: string): Outcome<string> {
  const given = resolve(wanted);
  const overlap = overlapOf(root, given);
  if (overlap !== undefined) return misplaced(given, overlap);
  const mode = modeLike(root);
  mkdirSync(dirname(given), { recursive: true, mode });
  const folder = join(realpathSync(dirname(given)), basename(given));
  const inReality = overlapOf(root, folder) ?? within(folder);
  if (inReality !== undefined) return misplaced(folder, inReality);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) mkdirSync(folder, mode);
  else if (!found.isDirectory() || readdirSync(folder).length > 0)
    return new Refusal("ALREADY_EXISTS", `${folder} is there already, and a lane needs an empty folder`, {
      suggestion: "Name another folder for the lane, or empty this one.",
      details: { folder },
    });
  return folder;
}

/** Makes a folder of a lane, which lets no other user in whom the workspace's does not. */
export function makeFolderLike(from: string, to: string): void {
  mkdirSync(to, modeLike(from));
}

/** Returns the rights of a folder, with all of those of its owner. */
function modeLike(folder: string): number {
  return ((lstatSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o777) | 0o700;
}

/** Returns true for the folder of a lane that this user's daemon made. @throws the system's error */
export function isFolderOf(folder: string, root: string, name: string): boolean {
  try {
    const mark = laneAt(folder);
    return mark?.name === name && mark.workspace === root;
  } catch (error) {
    if (error instanceof StateError) return false; // a program put something else in the mark's place
    throw error;
  }
}

/** Returns a look that is true for a file that a process has open for writing, as far as the system tells. */
export function writersLook(): (file: string) => boolean {
  const writers = writersProbe();
  return (file) => {
    try {
      const fd = openToRead(file);
      try {
        return writers(fd) === true;
      } finally {
        closeSync(fd);
      }
    } catch {
      return false; // it is no file that this user may read
    }
  };
}

/** Decides what stays of a lane's folder. */
export interface Keeps {
  /** Returns true for a file whose text only the lane may have; `image` is the file at the absolute path `file`. */
  readonly keeps: (path: DocPath, image: Image, file: string) => boolean;
  /** Returns true for a folder that may have such files. */
  readonly mayKeepIn: (folder: DocPath) => boolean;
}

/**
 * Removes the folder of a lane, and then the folder around it if that is empty. It follows no link. It removes the mark
 * last, so that a later start can finish an interrupted removal. Returns the files that stay, with the folders around them.
 */
export async function removeFolder(folder: string, { keeps, mayKeepIn }: Keeps): Promise<readonly string[]> {
  const kept: DocPath[] = [];
  const pause = pauses();
  await removeIn("");
  const state = join(folder, STATE_FOLDER);
  for (const name of namesIn(state)) if (name !== MARK) await removeAll(join(state, name));
  await removeAll(join(state, MARK));
  removeRemains(folder);
  return kept.length > 0 ? kept : namesIn(folder); // a program may have written there since

  async function removeIn(around: string): Promise<void> {
    for (const name of namesIn(join(folder, around))) {
      const rest = pause();
      if (rest !== undefined) await rest;
      const at = join(folder, around, name);
      const path = pathInside(around, name);
      const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
      if (at === join(folder, STATE_FOLDER) || stats === undefined) continue;
      const isFolder = stats.isDirectory();
      if (path === undefined || (isFolder && !mayKeepIn(path))) await removeAll(at);
      else if (isFolder) {
        await removeIn(path);
        removeIfEmpty(at);
      } else {
        const image = imageOf(stats, path);
        if (!isFileProblem(image) && keeps(path, image, at)) kept.push(path);
        else unlinkSync(at); // in one turn with the look: a program may write to it
      }
    }
  }
}

function removeAll(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}

/** Removes the empty folders that an interrupted removal may leave beside a lane's mark. */
export function removeRemains(folder: string): void {
  for (const path of [join(folder, STATE_FOLDER), folder, dirname(folder)]) if (!removeIfEmpty(path)) return;
}

/** Removes a folder; returns false for one with files: it has other lanes, a person chose it, or a program writes there. */
function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"; // it was removed before
  }
}

/** Returns the names in a folder, of which an interrupted removal may have left nothing. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function overlapOf(root: string, folder: string): string | undefined {
  if (isWithin(folder, root)) return "it is in the workspace";
  return isWithin(root, folder) ? "the workspace is in it" : undefined;
}

/** Returns the reason why a folder lies in another workspace or lane. */
function within(folder: string): string | undefined {
  for (let at = dirname(folder); ; at = dirname(at)) {
    if (lstatSync(join(at, STATE_FOLDER), { throwIfNoEntry: false }) !== undefined)
      return `it is in ${at}, which is a workspace or a lane`;
    if (dirname(at) === at) return undefined;
  }
}

function misplaced(folder: string, why: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `${folder} cannot be a lane, because ${why}`, {
    suggestion:
      "Name an empty folder outside every workspace, or none, and the lane lies beside the workspace.",
    details: { folder },
  });
}
