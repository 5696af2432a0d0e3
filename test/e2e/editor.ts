import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Ways in which editors save. Each leaves the file's mode as it was. */
export const RECIPES: Readonly<Record<string, (file: string, text: string) => void | Promise<void>>> = {
  "in place": (file, text) => writeFileSync(file, text),
  "by rename": (file, text) => {
    writeFileSync(`${file}.new`, text, { mode: statSync(file).mode });
    renameSync(`${file}.new`, file);
  },
  "by rename, the old one kept aside": (file, text) => {
    writeFileSync(`${file}.new`, text, { mode: statSync(file).mode });
    renameSync(file, `${file}~`);
    renameSync(`${file}.new`, file);
    rmSync(`${file}~`);
  },
  "by writing over it and cutting the rest": (file, text) => {
    const fd = openSync(file, "r+");
    ftruncateSync(fd, writeSync(fd, text, 0));
    closeSync(fd);
  },
  "emptied, then slowly in pieces": async (file, text) => {
    writeFileSync(file, "");
    for (let at = 0; at < text.length; at += Math.ceil(text.length / 8)) {
      await pause(4);
      appendFileSync(file, text.slice(at, at + Math.ceil(text.length / 8)));
    }
  },
};

/** Returns true when the file was saved; false when another process saved it after the editor read it. */
export type CarefulSave = (file: string, change: (text: string) => string) => boolean;

/**
 * Saves in place, through the descriptor it read from, and only while that still is the file. Text that it writes to a
 * file replaced before or during the save is not saved.
 */
export const carefulInPlace: CarefulSave = (file, change) => {
  const fd = openSync(file, "r+");
  try {
    const next = change(readFileSync(fd, "utf8"));
    const own = fstatSync(fd).ino;
    if (statSync(file).ino !== own) return false;
    ftruncateSync(fd, writeSync(fd, next, 0));
    return statSync(file).ino === own;
  } finally {
    closeSync(fd);
  }
};

/**
 * Saves by rename while the daemon is stopped and writes no file. So the save certainly replaces the text that the
 * editor read.
 */
export const carefulByRename =
  (pid: number): CarefulSave =>
  (file, change) => {
    const aside = `${file}.new`;
    stop(pid);
    try {
      writeFileSync(aside, change(readFileSync(file, "utf8")), { mode: statSync(file).mode });
      renameSync(aside, file);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    return true;
  };

/** Does the work while the daemon is stopped; the daemon gets requests of that time afterwards. */
export async function whileStopped<T>(pid: number, work: () => T | Promise<T>): Promise<T> {
  stop(pid);
  try {
    return await work();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

function stop(pid: number): void {
  process.kill(pid, "SIGSTOP");
  while (!standsStill(pid));
}

/** True once SIGSTOP has reached the thread that works on files, be it traced (t) or not. @throws when the process is gone */
function standsStill(pid: number): boolean {
  const state = /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  if (state === "Z" || state === "X") throw new Error(`process ${pid} has ended`);
  return state === "T" || state === "t";
}
