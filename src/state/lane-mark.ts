import { lstatSync } from "node:fs";
import { join } from "node:path";
import { STATE_FOLDER } from "./folder.ts";
import { makeOwnFolder, writeOwn } from "./own.ts";
import { readSealed, sealed } from "./seal.ts";

/** The name of the file in a lane's state folder that names the lane's workspace. */
export const MARK = "lane.json";

/** The lane that a folder is. */
export interface LaneMark {
  /** The folder of the workspace, absolute. */
  readonly workspace: string;
  readonly name: string;
}

/**
 * Makes a folder a lane: it gets a state folder with a sealed file, which outlasts a power cut. @throws StateError, or the
 * system's error
 */
export function markLane(folder: string, mark: LaneMark): void {
  const state = join(folder, STATE_FOLDER);
  makeOwnFolder(state);
  writeOwn(join(state, ".gitignore"), "*\n");
  const file = join(state, MARK);
  writeOwn(file, sealed(file, mark), { flushed: true });
}

/** Returns the lane that a folder is; undefined without a file that this user sealed there. @throws StateError */
export function laneAt(folder: string): LaneMark | undefined {
  const file = join(folder, STATE_FOLDER, MARK);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    const read = readSealed(file);
    return read?.genuine ? (read.content as LaneMark) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
