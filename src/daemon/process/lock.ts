import { closeSync, fstatSync, ftruncateSync, lstatSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { processBegan, sameProcessLives } from "../../client/process.ts";
import { folderId } from "../../state/folder.ts";
import { makeOwnFolder, openOrCreateOwn } from "../../state/own.ts";
import { lockFile } from "../../system/files.ts";

/** Another daemon serves the workspace. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

interface LockHolder {
  readonly pid: number;
  /** The start of that process, because a later process may have the same number. */
  readonly began: string;
  /** The identity of the folder that was locked, because a copy of a workspace has the file, too. */
  readonly folder: string;
}

/** The longest that a process takes to write its lock, and the pause between two looks; milliseconds. */
const WRITING_MS = 500;
const POLL_MS = 20;
const MOST_BYTES = 1_024;

/**
 * Locks a workspace for this process and returns how to unlock it. The system holds the lock on an open file until the
 * process ends, also for processes of other containers, which cannot see this one. The file names the process for people.
 * @throws LockedError, StateError
 */
export function lockWorkspace(root: string, stateFolder: string): () => void {
  makeOwnFolder(stateFolder);
  const file = join(stateFolder, "daemon.lock");
  for (;;) {
    const fd = openOrCreateOwn(file);
    try {
      const folder = folderId(stateFolder);
      if (lockFile(fd) === "held") throw lockedBy(visibleIn(fd), root);
      const holder = holderIn(fd);
      // A daemon of an earlier version held no lock of the system's.
      if (holder?.folder === folder && sameProcessLives(holder)) throw lockedBy(holder, root);
      if (!isAt(file, fd)) {
        closeSync(fd); // its process removed it just now
        continue;
      }
      ftruncateSync(fd);
      const own: LockHolder = { pid: process.pid, began: processBegan(process.pid), folder };
      writeSync(fd, JSON.stringify(own), 0);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    return () => {
      if (isAt(file, fd)) rmSync(file, { force: true });
      closeSync(fd);
    };
  }
}

function lockedBy(holder: LockHolder | undefined, root: string): LockedError {
  if (holder !== undefined && !sameProcessLives(holder))
    return new LockedError(
      `a daemon outside of this container or sandbox serves ${root} (process ${holder.pid} there). ` +
        "Use spliced there, or stop that daemon there with: spliced stop",
    );
  const named = holder === undefined ? "" : ` (process ${holder.pid})`;
  return new LockedError(`a daemon already serves ${root}${named}; stop it first with: spliced stop`);
}

/** Returns the process that a lock names, after the moment in which one that just locked the file writes that. */
function visibleIn(fd: number): LockHolder | undefined {
  let holder = holderIn(fd);
  for (let ms = 0; ms < WRITING_MS && !(holder && sameProcessLives(holder)); ms += POLL_MS) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    holder = holderIn(fd);
  }
  return holder;
}

function holderIn(fd: number): LockHolder | undefined {
  const bytes = Buffer.alloc(MOST_BYTES);
  const text = bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
  try {
    const value = JSON.parse(text) as Partial<LockHolder> | null;
    if (typeof value?.pid !== "number") return undefined;
    return { pid: value.pid, began: value.began ?? "", folder: value.folder ?? "" };
  } catch {
    return undefined; // its process died while it wrote it, or is about to write it
  }
}

/** Returns true while the file of this name is the open one. */
function isAt(file: string, fd: number): boolean {
  const there = lstatSync(file, { throwIfNoEntry: false });
  const { dev, ino } = fstatSync(fd);
  return there?.dev === dev && there.ino === ino;
}
