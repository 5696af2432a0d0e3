import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { checkOwn } from "../state/own.ts";
import type { Config } from "./define-config.ts";

export type LogFile = ReturnType<typeof pino.destination>;

/** What of a log that cannot be written is kept in memory. */
const KEPT_BYTES = 1 << 20;

/**
 * A log in numbered files, `daemon.1.log` first. One that has its size is put aside and the next number begun; of
 * those aside, also by earlier runs, only so many are kept. Emits `error` for what it cannot write or remove, and
 * goes on.
 */
export function openLogFile(folder: string, { maxFileBytes, files }: Config["log"]): LogFile {
  const at = (number: number) => join(folder, `daemon.${number}.log`);
  let number = Math.max(1, ...numbersIn(folder));
  checkOwn(at(number), "file");
  let bytes = statSync(at(number), { throwIfNoEntry: false })?.size ?? 0;
  const file = pino.destination({ dest: at(number), sync: false, maxLength: KEPT_BYTES });
  file.on("write", (written: number) => {
    bytes += written;
  });
  // Only between two writes: a file that is asked to close while another is being opened for it would never close.
  file.on("drain", () => {
    if (bytes < maxFileBytes) return;
    bytes = 0;
    // Whatever came to lie there meanwhile is not written to.
    do number++;
    while (lstatSync(at(number), { throwIfNoEntry: false }) !== undefined);
    file.reopen(at(number));
    try {
      for (const old of numbersIn(folder)) if (old < number - files) rmSync(at(old), { force: true });
    } catch (error) {
      file.emit("error", error);
    }
  });
  return file;
}

function numbersIn(folder: string): number[] {
  return readdirSync(folder)
    .map((name) => Number(/^daemon\.(\d+)\.log$/.exec(name)?.[1]))
    .filter((number) => number > 0);
}
