import { closeSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { processBegan, processLives } from "../client/process.ts";
import { folderId } from "../state/folder.ts";
import { createOwn, makeOwnFolder, readOwn } from "../state/own.ts";
import { StateError } from "../state/trust.ts";

/** Another daemon serves the workspace. */
export class LockedError extends Error {
  override readonly name = "LockedError";
  readonly pid: number;

  constructor(pid: number, root: string) {
    super(`a daemon already serves ${root} (process ${pid}); stop it first with: spliced stop`);
    this.pid = pid;
  }
}

interface LockHolder {
  readonly pid: number;
  /** The start of that process, because a later process may have the same number. */
  readonly began: string;
  /** The identity of the folder that was locked, because a copy of a workspace has the lock, too. */
  readonly folder: string;
}

/** Locks a workspace for this process and returns how to unlock it. A dead process's lock is replaced. @throws LockedError */
export function lockWorkspace(root: string, stateFolder: string): () => void {
  const file = join(stateFolder, "daemon.lock");
  makeOwnFolder(stateFolder);
  const own: LockHolder = {
    pid: process.pid,
    began: processBegan(process.pid),
    folder: folderId(stateFolder),
  };
  for (;;) {
    try {
      create(file, JSON.stringify(own));
      return () => {
        if (holderOf(file)?.pid === own.pid) rmSync(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = holderOf(file);
    if (holder !== undefined && holder.folder === own.folder && lives(holder))
      throw new LockedError(holder.pid, root);
    if (isBeingWritten(file)) pause();
    else takeOver(file, holder, own);
  }
}

/** The longest that a process takes to write its lock or to take one over, in milliseconds. One that took longer is dead. */
const TAKING_MS = 5_000;
/** The pause between two looks at the work of another process, in milliseconds. */
const POLL_MS = 20;

/** Returns true for a lock that a process has created and, as far as its age shows, is about to write. */
function isBeingWritten(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && stats.size === 0 && isYoung(stats.mtimeMs);
}

/** Returns false for a time in the future, too: a file from an archive can have one. */
function isYoung(mtimeMs: number): boolean {
  return Math.abs(Date.now() - mtimeMs) <= TAKING_MS;
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
}

/** Removes a dead process's lock. Only one process does so at a time, so that none removes a lock that is new. */
function takeOver(file: string, dead: LockHolder | undefined, own: LockHolder): void {
  const token = `${file}.taking`;
  try {
    create(token, String(own.pid));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const began = statSync(token, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (isYoung(began)) pause();
    else rmSync(token, { force: true });
    return;
  }
  try {
    const now = holderOf(file);
    const isSame = now?.pid === dead?.pid && now?.began === dead?.began;
    if (isSame && !isBeingWritten(file)) rmSync(file, { force: true });
  } finally {
    rmSync(token, { force: true });
  }
}

function lives({ pid, began }: LockHolder): boolean {
  return processLives(pid) && (began === "" || processBegan(pid) === began);
}

function holderOf(file: string): LockHolder | undefined {
  try {
    const value = JSON.parse(readOwn(file) ?? "null") as Partial<LockHolder> | null;
    if (typeof value?.pid !== "number") return undefined;
    return { pid: value.pid, began: value.began ?? "", folder: value.folder ?? "" };
  } catch (error) {
    if (error instanceof StateError) throw error;
    return undefined; // the file is gone, or its process died while it wrote it, so nobody holds the lock
  }
}

function create(file: string, text: string): void {
  const fd = createOwn(file);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}
