import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { WORKTREES, worktreesIn } from "../../state/git-notes.ts";
import type { FileProblem } from "../files.ts";
import type { DocPath } from "../path.ts";
import { Beneath } from "./beneath.ts";
import { openToRead } from "./reading.ts";
import { problemOf } from "./stat.ts";

/** The most bytes of a file of patterns. */
export const MOST_IGNORE_BYTES = 1 << 20;
/** A file system may give two writes within this time the same stamp; milliseconds. */
const SAME_STAMP_MS = 50;
/** The most bytes of texts in memory. */
const MOST_REMEMBERED = 8 << 20;

/** The content of a file at a stamp. */
interface Reading {
  readonly stamp: string;
  /** False if another write may have left the same stamp, as below a folder. */
  readonly settled: boolean;
  /** Undefined for a file that cannot be used. */
  readonly text: string | undefined;
  readonly problem: string | undefined;
}

/**
 * Reads the files of patterns in a workspace, such as `.gitignore`. It follows no link, waits for no FIFO, and reads a
 * file again only when its stamp has changed (I12, I17). It looks at a stamp once a tick of the event loop.
 */
export class IgnoreFiles {
  readonly #beneath: Beneath;
  readonly #report: (file: string, problem: string) => void;
  readonly #readings = new Map<string, Reading>();
  #remembered = 0;
  /**
   * The texts that were read in this tick of the event loop. Every request that is answered now arrived before that.
   */
  readonly #now = new Map<string, string | undefined>();

  /** `report` is called once for each new problem with a file. */
  constructor(root: string, report: (file: string, problem: string) => void = () => {}) {
    this.#beneath = new Beneath(root);
    this.#report = report;
  }

  /**
   * Returns the text of a file by its path in the workspace; undefined if it is not there or cannot be used. An absolute
   * path names one of the user's own files, which may be a link, or the folder in which git notes its worktrees: that has
   * a pattern for each.
   */
  readonly read = (path: string): string | undefined => {
    if (this.#now.has(path)) return this.#now.get(path);
    if (this.#now.size === 0) process.nextTick(() => this.#now.clear());
    const text = this.#look(path);
    this.#now.set(path, text);
    return text;
  };

  /** The files that are there and cannot be used, with the reasons. */
  get problems(): { readonly file: string; readonly problem: string }[] {
    return [...this.#readings].flatMap(([file, { problem }]) =>
      problem === undefined ? [] : [{ file, problem }],
    );
  }

  close(): void {
    this.#beneath.close();
  }

  #look(path: string): string | undefined {
    const isOutside = isAbsolute(path);
    const stamp = isOutside ? stampOf(path, statSync) : stampOf(join(this.#beneath.root, path), lstatSync);
    const before = this.#readings.get(path);
    if (before?.settled && before.stamp === stamp?.text) return before.text;
    this.#forget(path);
    if (stamp === undefined) return undefined;
    const content = isOutside
      ? outsideText(path, this.#beneath.root)
      : this.#beneath.within(path as DocPath, (at) => textOf(openToRead(at), path));
    const text = typeof content === "string" ? content : undefined;
    const problem = typeof content === "string" ? undefined : content.message;
    this.#remember(path, {
      stamp: stamp.text,
      settled: !stamp.isFolder && Date.now() - stamp.ms > SAME_STAMP_MS,
      text,
      problem,
    });
    if (problem !== undefined && problem !== before?.problem) this.#report(path, problem);
    return text;
  }

  #remember(path: string, reading: Reading): void {
    this.#readings.set(path, reading);
    this.#remembered += bytesOf(reading);
    for (const [other] of this.#readings) {
      if (this.#remembered <= MOST_REMEMBERED) return;
      if (other !== path) this.#forget(other);
    }
  }

  #forget(path: string): void {
    const reading = this.#readings.get(path);
    if (reading === undefined) return;
    this.#remembered -= bytesOf(reading);
    this.#readings.delete(path);
  }
}

/** Returns the approximate bytes of a reading in memory. */
function bytesOf({ text = "" }: Reading): number {
  return text.length + 200;
}

/**
 * Returns the stamp and the change time of the file at a place; undefined without one. A link in a folder's place can
 * only falsify the stamp, because the reading itself follows no link.
 */
function stampOf(
  file: string,
  look: typeof lstatSync | typeof statSync,
): { readonly text: string; readonly ms: number; readonly isFolder: boolean } | undefined {
  try {
    const stats = look(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { ino, size, mode, mtimeMs, ctimeMs } = stats;
    return {
      text: `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`,
      ms: Math.max(mtimeMs, ctimeMs),
      isFolder: stats.isDirectory(),
    };
  } catch {
    return undefined; // unreachable, so it is not in force
  }
}

function outsideText(path: string, root: string): string | FileProblem {
  try {
    if (basename(path) === WORKTREES) return worktreesIn(root, path).map(patternOf).join("");
    return textOf(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), path);
  } catch (error) {
    return problemOf(error, path);
  }
}

/** Returns a line of patterns that only a folder at this path matches; "" where no line can have the path. */
function patternOf(path: string): string {
  return path.includes("\n") ? "" : `/${path.replaceAll(/[\\*?[\] ]/g, "\\$&")}/\n`;
}

/** Returns the text of an open file, and closes it. */
function textOf(fd: number, path: string): string | FileProblem {
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { kind: "not_file", message: `${path} is not a regular file` };
    if (stats.size > MOST_IGNORE_BYTES)
      return {
        kind: "too_large",
        message: `${path} has ${stats.size} bytes; the limit is ${MOST_IGNORE_BYTES}`,
      };
    const bytes = Buffer.alloc(stats.size);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}
