import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { FileProblem } from "./files.ts";
import { type DocPath, folderOf, nameOf } from "./path.ts";
import { problemOf } from "./stat.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const LINUX = process.platform === "linux";
/** Linux's O_PATH: a handle that only names a folder. Node has no constant for it. */
const O_PATH = 0o10000000;

/**
 * Names files beneath a root folder so that no link, however it got there, leads elsewhere (I12). While the root
 * is gone, or another folder is in its place, everything beneath it is missing; it is found again when it is
 * back, also by another mount.
 */
export class Beneath {
  readonly root: string;
  /** Kept open so that no other folder is given the root's number. */
  readonly #handle: number;
  readonly #opened: BigIntStats;

  constructor(root: string) {
    this.root = root;
    this.#handle = openSync(root, O_RDONLY | O_DIRECTORY);
    this.#opened = fstatSync(this.#handle, { bigint: true });
  }

  /** False while the root is gone or another folder than the one that was opened. */
  stands(): boolean {
    try {
      return this.#isRoot(lstatSync(this.root, { bigint: true }));
    } catch {
      return false; // nothing there, or no way to it
    }
  }

  /**
   * Runs `work` with a name for `path` that no swapped-in link can redirect: on Linux the folders are opened
   * one by one, links refused, and the file is named beneath the last handle. Elsewhere each folder is
   * looked at instead, which a very fast attacker on the same machine could race.
   */
  within<T>(path: DocPath, work: (at: string) => T): T | FileProblem {
    const opened: number[] = [];
    try {
      let at = this.root;
      if (LINUX) {
        const fd = openSync(this.root, O_PATH | O_NOFOLLOW);
        opened.push(fd);
        if (!this.#isRoot(fstatSync(fd, { bigint: true }))) return rootGone();
        at = `/proc/self/fd/${fd}`;
      } else if (!this.stands()) return rootGone();
      const folder = folderOf(path);
      for (const part of folder === "" ? [] : folder.split("/")) {
        if (LINUX) {
          const fd = openSync(`${at}/${part}`, O_PATH | O_NOFOLLOW);
          opened.push(fd);
          if (fstatSync(fd).isSymbolicLink()) return linkOnTheWay(path);
          at = `/proc/self/fd/${fd}`;
        } else {
          at = join(at, part);
          if (lstatSync(at).isSymbolicLink()) return linkOnTheWay(path);
        }
      }
      return work(`${at}/${nameOf(path)}`);
    } catch (error) {
      return problemOf(error, path);
    } finally {
      for (const fd of opened) closeSync(fd);
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  #isRoot({ dev, ino }: BigIntStats): boolean {
    return ino === this.#opened.ino && dev === this.#opened.dev;
  }
}

function rootGone(): FileProblem {
  return { kind: "missing", message: "the workspace folder is gone; it is waited for" };
}

function linkOnTheWay(path: DocPath): FileProblem {
  return { kind: "escape", message: `a folder of ${path} is a link` };
}
