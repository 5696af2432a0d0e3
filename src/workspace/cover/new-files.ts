import type { Image } from "../../mirror/files.ts";
import { type DocPath, folderOf } from "../../mirror/path.ts";

/**
 * Decides which files without a baseline were made after the daemon covered their folder: the documents of these begin
 * with a creation.
 */
export class NewFiles {
  /** Folders in which every file has a baseline or a document, or waits for its reading: any other file is new. */
  readonly #covered = new Set<string>();
  /** Files and folders that could not be read: files that are found there later are not new. */
  readonly #unreadable = new Set<string>();
  /** The files that existed at a listing of all files; undefined once the first pass has covered all. */
  #present: ReadonlySet<DocPath> | undefined;
  #doubts = 0;
  #isFirst = true;
  /**
   * The beginning of the last pass that covered all files, also in an earlier process; undefined if it left files out.
   */
  #coveredAt: number | undefined;

  constructor(coveredAt: number | undefined) {
    this.#coveredAt = coveredAt;
  }

  /** True until the first pass covered all files. */
  get isFirstPass(): boolean {
    return this.#isFirst;
  }

  /** Notes all present files during the first pass: a file that appears later is new in any folder. */
  learn(paths: readonly DocPath[]): void {
    if (this.#isFirst) this.#present ??= new Set(paths);
  }

  /** Returns true for a file that did not exist when its folder was covered, or at the listing of all files. */
  appeared(path: DocPath): boolean {
    if (this.#unreadable.has(path)) return false;
    return this.#covered.has(folderOf(path)) || this.#present?.has(path) === false;
  }

  /**
   * Returns true for a file that a pass finds and that changed since an earlier pass covered all. A file without a
   * baseline that did not change since then existed before, ignored or unreadable.
   */
  isNewer({ ctimeNs }: Pick<Image, "ctimeNs">): boolean {
    return this.#coveredAt !== undefined && ctimeNs >= BigInt(this.#coveredAt) * 1_000_000n;
  }

  /**
   * Notes that a folder was listed. The caller calls the returned function once the files are compared. `isWhole`: all
   * of them are then known, unless `doubt` was called meanwhile.
   */
  listed(folder: string): (isWhole: boolean) => void {
    const doubts = this.#doubts;
    return (isWhole) => {
      if (isWhole && doubts === this.#doubts) this.#covered.add(folder);
      else this.#covered.delete(folder);
    };
  }

  /** Notes that a file or a folder cannot be read. */
  unreadable(path: string): void {
    this.#unreadable.add(path);
  }

  isUnreadable(path: string): boolean {
    return this.#unreadable.has(path);
  }

  /** Notes that a file or a folder was read. */
  readable(path: string): void {
    this.#unreadable.delete(path);
  }

  /** Removes a folder that is gone. */
  forget(folder: string): void {
    this.#covered.delete(folder);
    this.readable(folder);
  }

  /** Marks no folder as covered any more: files in them may lack baselines. */
  doubt(): void {
    this.#doubts++;
    this.#covered.clear();
  }

  /** Notes a change of the ignored files: the next pass treats no file as new. */
  rulesChanged(): void {
    this.doubt();
    this.#present = undefined;
    this.#coveredAt = undefined;
  }

  /** Notes that a pass ended; `coveredAt` is its beginning if it covered all files. */
  passed(coveredAt: number | undefined): void {
    this.#coveredAt = coveredAt;
    this.#isFirst = false;
    this.#present = undefined;
  }
}
