import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { checkOwn } from "../../state/own.ts";
import type { Config } from "../config/define-config.ts";

export type LogFile = ReturnType<typeof pino.destination> & { readonly destroyed?: boolean };

/** The most bytes of log lines that wait in memory while the file cannot be written. */
const WAITING_BYTES = 1 << 20;
/** The bytes and the milliseconds after which waiting lines go to the file together. */
const TOGETHER_BYTES = 8 << 10;
const TOGETHER_MS = 100;

/**
 * Opens a log in numbered files, `daemon.1.log` first. A full file is closed and the next number begins. Only the
 * newest files remain, also of earlier runs. The log emits `error` for a failed write or removal, and goes on.
 */
export function openLogFile(folder: string, { maxFileBytes, files }: Config["log"]): LogFile {
  const at = (number: number) => join(folder, `daemon.${number}.log`);
  let number = Math.max(1, ...numbersIn(folder));
  checkOwn(at(number), "file");
  let bytes = statSync(at(number), { throwIfNoEntry: false })?.size ?? 0;
  const file: LogFile = pino.destination({
    dest: at(number),
    sync: false,
    maxLength: WAITING_BYTES,
    minLength: TOGETHER_BYTES,
  });
  const noteWritten = flushedLater(file);
  file.on("write", (written: number) => {
    bytes += written;
    noteWritten(written);
  });
  // The log changes files only between two writes. A destination that is closed while it reopens would never close.
  file.on("drain", () => {
    if (bytes < maxFileBytes) return;
    bytes = 0;
    // The log never writes to a file that another program put there meanwhile.
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

/**
 * Flushes the lines that wait, until the file has them. A log without lines wakes nobody, as pino's own timer would.
 * Returns a function that notes written bytes.
 */
function flushedLater(file: LogFile): (written: number) => void {
  const write = file.write.bind(file);
  let waiting = 0;
  let isDue = false;
  const flush = () => {
    isDue = false;
    if (waiting === 0 || file.destroyed) return;
    file.flush();
    flushLater();
  };
  const flushLater = () => {
    if (isDue) return;
    isDue = true;
    setTimeout(flush, TOGETHER_MS).unref();
  };
  const left = (bytes: number) => {
    waiting -= bytes;
  };
  file.write = (line) => {
    waiting += Buffer.byteLength(line);
    flushLater();
    return write(line);
  };
  file.on("drop", (line: string) => left(Buffer.byteLength(line)));
  return left;
}

function numbersIn(folder: string): number[] {
  return readdirSync(folder)
    .map((name) => Number(/^daemon\.(\d+)\.log$/.exec(name)?.[1]))
    .filter((number) => number > 0);
}
