import { closeSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { processBegan, processLives } from "../client/process.ts";
import { folderId } from "../state/folder.ts";
import { createOwn, makeOwnFolder, readOwn } from "../state/own.ts";
import { StateError } from "../state/trust.ts";

/** Another daemon has the workspace. */
export class LockedError extends Error {
  override readonly name = "LockedError";
  readonly pid: number;

  constructor(pid: number, root: string) {
    super(`a daemon already serves ${root} (process ${pid}); stop it first with: spliced stop`);
    this.pid = pid;
  }
}

interface Holder {
  readonly pid: number;
  /** When that process began, so that another with its number is not taken for it. */
  readonly began: string;
  /** Which folder the lock is in: a copy of a workspace has it, too. */
  readonly folder: string;
}

/** Takes a workspace for this process; a lock whose process is gone is taken over. @throws LockedError */
export function lockWorkspace(root: string, stateFolder: string): () => void {
  const file = join(stateFolder, "daemon.lock");
  makeOwnFolder(stateFolder);
  const own: Holder = { pid: process.pid, began: processBegan(process.pid), folder: folderId(stateFolder) };
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
    takeOver(file, holder, own);
  }
}

/** How long a take-over may be under way before whoever began it counts as dead. */
const TAKING_MS = 5_000;
/** How often it is looked whether somebody else's take-over is through; milliseconds. */
const LOOK_EVERY_MS = 20;

/** Replaces a dead holder's lock. One at a time, so that nobody replaces a lock that was just taken. */
function takeOver(file: string, dead: Holder | undefined, own: Holder): void {
  const token = `${file}.taking`;
  try {
    create(token, String(own.pid));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const began = statSync(token, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    // A time to come is no take-over that is under way: an archive can carry one.
    if (Math.abs(Date.now() - began) > TAKING_MS) rmSync(token, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
    return;
  }
  try {
    const now = holderOf(file);
    if (now?.pid === dead?.pid && now?.began === dead?.began) rmSync(file, { force: true });
  } finally {
    rmSync(token, { force: true });
  }
}

function lives({ pid, began }: Holder): boolean {
  return processLives(pid) && (began === "" || processBegan(pid) === began);
}

function holderOf(file: string): Holder | undefined {
  try {
    const value = JSON.parse(readOwn(file) ?? "null") as Partial<Holder> | null;
    if (typeof value?.pid !== "number") return undefined;
    return { pid: value.pid, began: value.began ?? "", folder: value.folder ?? "" };
  } catch (error) {
    if (error instanceof StateError) throw error;
    return undefined; // gone, or half written by one that died: nobody holds it
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
