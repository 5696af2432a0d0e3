import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FolderOpener, folderOpener, O_PATH } from "../../system/files.ts";
import type { FileProblem } from "../files.ts";
import { ROOT_MISSING } from "../missing-file.ts";
import { type DocPath, fileNameOf, folderOf } from "../path.ts";
import { problemOf } from "./stat.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const LINUX = process.platform === "linux";

/**
 * Names files beneath a root folder so that no link leads elsewhere (I12). While the root is missing, or another
 * folder is in its place, every file beneath it is missing. They are found again when the root is back, also through
 * another mount.
 */
export class Beneath {
  readonly root: string;
  /** An open handle, so that the system gives the root's inode number to no other folder. */
  readonly #handle: number;
  readonly #opened: BigIntStats;
  readonly #opener: FolderOpener | undefined;

  /** `inOneStep`: false opens folders one by one also where the system can open them in one step. */
  constructor(root: string, { inOneStep = true }: { readonly inOneStep?: boolean } = {}) {
    this.root = root;
    this.#handle = openSync(root, O_RDONLY | O_DIRECTORY);
    this.#opener = inOneStep ? openerFor(this.#handle) : undefined;
    this.#opened = fstatSync(this.#handle, { bigint: true });
  }

  /** Returns false while the root is missing, or is another folder than the one that was opened. */
  isPresent(): boolean {
    try {
      return this.#isRoot(lstatSync(this.root, { bigint: true }));
    } catch {
      return false; // missing or unreachable
    }
  }

  /**
   * Runs `work` with a name for `path` that no link can redirect. Linux opens the file's folder beneath the root's
   * handle, and the name is beneath the folder's handle. A Linux that does not open it in one step opens the folders
   * one by one, and this refuses links. On other systems it looks at each folder instead; a fast attacker on the same
   * machine could replace a folder after the look.
   */
  within<T>(path: DocPath, work: (at: string) => T): T | FileProblem {
    const opener = this.#opener;
    return opener === undefined ? this.#withinEach(path, work) : this.#withinFolder(path, opener, work);
  }

  #withinFolder<T>(path: DocPath, opener: FolderOpener, work: (at: string) => T): T | FileProblem {
    let opened: number | undefined;
    try {
      // The handle stays with its folder, even if another folder comes to the root's path after this look.
      if (!this.#isRoot(lstatSync(this.root, { bigint: true }))) return ROOT_MISSING;
      const folder = folderOf(path);
      if (folder !== "") {
        const fd = opener.open(this.#handle, folder);
        if (fd === "ELOOP") return linkOnTheWay(path);
        if (typeof fd === "string") return problemOf(Object.assign(new Error(fd), { code: fd }), path);
        opened = fd;
      }
      return work(`/proc/self/fd/${opened ?? this.#handle}/${fileNameOf(path)}`);
    } catch (error) {
      return problemOf(error, path);
    } finally {
      if (opened !== undefined) opener.close(opened);
    }
  }

  #withinEach<T>(path: DocPath, work: (at: string) => T): T | FileProblem {
    const opened: number[] = [];
    try {
      let at = this.root;
      if (LINUX) {
        const fd = openSync(this.root, O_PATH | O_NOFOLLOW);
        opened.push(fd);
        if (!this.#isRoot(fstatSync(fd, { bigint: true }))) return ROOT_MISSING;
        at = `/proc/self/fd/${fd}`;
      } else if (!this.isPresent()) return ROOT_MISSING;
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
      return work(`${at}/${fileNameOf(path)}`);
    } catch (error) {
      return problemOf(error, path);
    } finally {
      for (const fd of opened) closeSync(fd);
    }
  }

  /** Returns the part of an absolute path below the root, by any name of the root; undefined for others. */
  below(absolute: string): string | undefined {
    const parts = absolute.split("/");
    for (let i = parts.length; i > 0; i--) {
      const stats = statIfThere(parts.slice(0, i).join("/"));
      if (stats !== undefined && this.#isRoot(stats)) return parts.slice(i).join("/");
    }
    return undefined;
  }

  /**
   * Does the same as `within` for asynchronous work in a folder ("" is the root). On Linux the work uses a descriptor
   * of the folder, which no link can redirect. On other systems this looks at the folders before and after the work,
   * and drops the result when one changed. It does not notice a folder that was a link only between the two looks.
   */
  async inFolder<T>(folder: string, work: (at: string, fd?: number) => Promise<T>): Promise<T | FileProblem> {
    const inside = (folder === "" ? "x" : `${folder}/x`) as DocPath;
    if (!LINUX) return this.#inSameFolder(inside, work);
    const fd = this.within(inside, (at) => openSync(dirname(at), O_RDONLY | O_DIRECTORY));
    const named = folder === "" ? "the workspace's folder" : folder;
    if (typeof fd !== "number") return { ...fd, message: fd.message.replace(`${inside}:`, `${named}:`) };
    try {
      return await work(`/proc/self/fd/${fd}`, fd);
    } catch (error) {
      return problemOf(error, named);
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  async #inSameFolder<T>(inside: DocPath, work: (at: string) => Promise<T>): Promise<T | FileProblem> {
    const identity = () => this.within(inside, (at) => identityOf(dirname(at)));
    const before = identity();
    if (typeof before !== "string") return before;
    try {
      const result = await work(join(this.root, folderOf(inside)));
      return identity() === before ? result : { kind: "changed", message: `${inside}: its folder changed` };
    } catch (error) {
      return problemOf(error, inside);
    }
  }

  #isRoot({ dev, ino }: BigIntStats): boolean {
    return ino === this.#opened.ino && dev === this.#opened.dev;
  }
}

/**
 * Returns the function that opens folders in one step; undefined where the system has none, or forbids it to this
 * process.
 */
function openerFor(root: number): FolderOpener | undefined {
  const opener = folderOpener();
  const fd = opener?.open(root, ".");
  if (typeof fd !== "number") return undefined;
  opener?.close(fd);
  return opener;
}

function statIfThere(folder: string): BigIntStats | undefined {
  try {
    return statSync(folder, { bigint: true });
  } catch {
    return undefined; // unreachable, so it is not the root
  }
}

function identityOf(folder: string): string {
  const { dev, ino } = lstatSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

function linkOnTheWay(path: DocPath): FileProblem {
  return { kind: "escape", message: `a folder of ${path} is a link` };
}
