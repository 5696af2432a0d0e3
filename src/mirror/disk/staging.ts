import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attributeCarrier, type Writers } from "../../system/files.ts";
import {
  type Displaced,
  type FileProblem,
  type Image,
  isFileProblem,
  isLaterSave,
  type LeftBehind,
  type NotedSwap,
  onDevice,
  type ReadWatch,
  type Staged,
  type StagedId,
  sameImage,
} from "../files.ts";
import type { DocPath } from "../path.ts";
import type { Reached } from "../step.ts";
import type { Beneath } from "./beneath.ts";
import { WRITTEN_AT_ONCE, writeAll, writeAllSync } from "./io.ts";
import { ReadWatches } from "./read-watch.ts";
import { openToRead, readSteadily } from "./reading.ts";
import { forget, isElsewhere, linkOrCopy, type Replaced, type Replacing, replacingIn } from "./replace.ts";
import { docIdOf, idOf, nameOf } from "./staged-id.ts";
import { StagingFolder } from "./staging-folder.ts";
import { changed, dress, imageOf, imagePlaced, problemOf, stampWritten } from "./stat.ts";

const { O_WRONLY, O_CREAT, O_EXCL } = constants;

/** Owns the staging folder: new versions of files, and displaced files, on the file system of the workspace. */
export class Staging {
  readonly #folder: StagingFolder;
  readonly #beneath: Beneath;
  readonly #writers: Writers;
  readonly #reached: Reached;
  readonly #replacing: Replacing;
  /** Inodes of files that are mounts, or lie in another mount of the same file system. */
  readonly #elsewhere = new Set<bigint>();
  readonly #carryAttributes = attributeCarrier();
  readonly #readWatches: ReadWatches;
  /** The place of each version that this process or an earlier one staged, and neither swapped in nor discarded. */
  readonly #waiting: Map<StagedId, string>;
  readonly #leftBehind: readonly StagedId[];
  /** The versions whose displaced files the system refused to show. */
  readonly #hidden = new Set<StagedId>();
  readonly #run = `${process.pid}-${Date.now().toString(36)}`;
  #count = 0;

  /** @throws when the folder cannot be made */
  constructor(folder: string, beneath: Beneath, writers: Writers, reached: Reached) {
    this.#folder = new StagingFolder(folder);
    this.#beneath = beneath;
    this.#writers = writers;
    this.#reached = reached;
    this.#waiting = filesIn(folder);
    this.#leftBehind = [...this.#waiting.keys()];
    this.#replacing = replacingIn(folder);
    this.#readWatches = new ReadWatches(folder);
  }

  async stage(
    pieces: readonly Uint8Array[],
    like: Image | undefined,
    docId: string,
  ): Promise<Staged | FileProblem> {
    const name = `${docId}.${this.#run}-${this.#count++}`;
    const at = join(this.#folder.path, name);
    let fd: number | undefined;
    try {
      const unfit = this.#folder.ensure(() => this.#beneath.isPresent());
      if (unfit !== undefined) return unfit;
      fd = openSync(at, O_WRONLY | O_CREAT | O_EXCL, 0o666);
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (size <= WRITTEN_AT_ONCE) writeAllSync(fd, pieces);
      else await writeAll(fd, pieces);
      if (like !== undefined) dress(fd, like);
      stampWritten(fd, like);
      const image = imageOf(fstatSync(fd, { bigint: true }), at);
      closeSync(fd);
      fd = undefined;
      return isFileProblem(image) ? image : this.#staged(idOf(name, image), at, image);
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      forget(at);
      const problem = problemOf(error, "the staging folder");
      // A missing staging folder does not mean that the document's file is missing.
      return problem.kind === "missing" ? { ...problem, kind: "io" } : problem;
    }
  }

  /** Returns false for a file that cannot change places with one of the staging folder, and for all without a store. */
  reaches({ dev, ino }: Image): boolean {
    return dev === this.#folder.device && !this.#elsewhere.has(ino) && this.#folder.hasStore;
  }

  /** True when the system shows whether a file on this device was read. */
  get tellsReads(): boolean {
    return this.#readWatches.tellsReads;
  }

  /** Watches the file at a path; undefined where a reading of it would leave no trace. */
  watchReads(path: DocPath, image: Image): ReadWatch | undefined {
    if (image.dev !== this.#folder.device) return undefined;
    const watch = this.#beneath.within(path, (at) => this.#readWatches.watch(at, image) ?? changed(path));
    return isFileProblem(watch) ? undefined : watch;
  }

  /** Notes a look at a file, as `ReadWatches` does. */
  looked(image: Image): void {
    this.#readWatches.looked(image);
  }

  /** Returns false also for a version that a dead process made a new file, and whose staged name it left. */
  has(id: StagedId): boolean {
    const at = this.#waiting.get(id);
    return at !== undefined && (lstatSync(at, { throwIfNoEntry: false })?.nlink ?? 1) === 1;
  }

  isHidden(by: StagedId): boolean {
    return this.#hidden.has(by);
  }

  clearLeftBehind(swaps: readonly NotedSwap[], maxBytes: number): readonly LeftBehind[] {
    const swapOf = new Map(swaps.map((swap) => [nameOf(swap.staged), swap]));
    return this.#leftBehind.flatMap((id) => {
      const at = this.#waiting.get(id);
      const swap = swapOf.get(nameOf(id));
      if (swap?.staged === id && !this.has(id)) this.#discard(id);
      if (at === undefined || swap?.staged === id) return [];
      const found = this.#leftAt(id, at, swap, maxBytes);
      if (found === "unreadable") {
        if (swap !== undefined) this.#hidden.add(swap.staged);
        return [];
      }
      if (found === undefined) this.#discard(id);
      else this.#waiting.delete(id);
      return found ?? [];
    });
  }

  /**
   * Returns a left file that another process writes to, or that is not the file that the swap was to replace. It was
   * displaced: only the daemon opens a staged version. Returns "unreadable" for a file over the limit, and where the
   * system refuses to show the file now, as to a process without a descriptor left; then the next process looks again.
   */
  #leftAt(
    id: StagedId,
    at: string,
    swap: NotedSwap | undefined,
    maxBytes: number,
  ): LeftBehind | "unreadable" | undefined {
    const file = this.#displaced(at, at);
    const image = file.look();
    if (isFileProblem(image)) return image.kind === "missing" ? undefined : "unreadable";
    const expected = swap?.expected;
    const isUnseen = expected !== undefined && isLaterSave(image, onDevice(expected, image.dev));
    if (!isUnseen && file.openForWriting() !== true) return undefined;
    if (image.size > maxBytes) return "unreadable";
    try {
      const bytes = ((fd) => closing(fd, () => readFileSync(fd)))(openToRead(at));
      return { docId: docIdOf(id), by: swap?.staged, isUnseen, file, reading: { image, bytes } };
    } catch {
      return "unreadable";
    }
  }

  #staged(id: StagedId, at: string, image: Image): Staged {
    this.#waiting.set(id, at);
    return {
      id,
      image,
      swap: (path, expected) => {
        const swapped = this.#swap(at, image, path, expected);
        if (isFileProblem(swapped)) return swapped;
        this.#waiting.delete(id);
        return swapped.image === undefined
          ? { ...changed(path), wasInPlace: true, overtaking: swapped.displaced }
          : swapped;
      },
      link: (path) =>
        this.#beneath.within(path, (target) => {
          const linked = linkOrCopy(at, target);
          this.#discard(id);
          return linked ? imagePlaced(image, target) : imageOf(lstatSync(target, { bigint: true }), path);
        }),
      discard: () => this.#discard(id),
    };
  }

  #swap(staged: string, image: Image, path: DocPath, expected: Image): InPlace | Overtaken | FileProblem {
    return this.#beneath.within(path, (at) => {
      const now = imageOf(lstatSync(at, { bigint: true }), path);
      if (isFileProblem(now)) return now;
      if (!sameImage(now, expected)) return changed(path);
      this.#carryAttributes?.(at, staged);
      // The watch begins before the swap: another process may read or replace the file at once.
      const watch = this.#readWatches.watch(staged, image);
      let isPlaced = false;
      try {
        const replaced = this.#replaced(staged, at, expected);
        if (replaced === undefined) return changed(path); // the next write overwrites the file in place
        const { done, displaced: file } = replaced;
        this.#reached("swapped");
        isPlaced = done;
        const displaced = file === undefined ? undefined : this.#displaced(file, path);
        if (done) return { image: imagePlaced(image, at), displaced, watch };
        return displaced === undefined
          ? { ...changed(path), wasInPlace: true }
          : { image: undefined, displaced };
      } finally {
        if (!isPlaced) watch?.close();
      }
    });
  }

  /** Returns undefined for a file that is a mount or lies in one, and notes that no swap reaches it. */
  #replaced(staged: string, at: string, expected: Image): Replaced | undefined {
    try {
      return this.#replacing.replace(staged, at, expected);
    } catch (error) {
      if (!isElsewhere(error)) throw error;
      this.#elsewhere.add(expected.ino);
      return undefined;
    }
  }

  #displaced(file: string, path: string): Displaced {
    const opened = <T>(use: (fd: number) => T): T | FileProblem => {
      try {
        return use(openToRead(file));
      } catch (error) {
        return problemOf(error, path);
      }
    };
    return {
      look: () => opened((fd) => closing(fd, () => imageOf(fstatSync(fd, { bigint: true }), path))),
      openForWriting: () => {
        const open = opened((fd) => closing(fd, () => this.#writers(fd)));
        return typeof open === "object" ? undefined : open;
      },
      read: async (maxBytes) => opened((fd) => readSteadily(fd, path, maxBytes)),
      discard: () => forget(file),
    };
  }

  /** Removes a version that was not swapped in. */
  #discard(id: StagedId): void {
    const file = this.#waiting.get(id);
    if (file !== undefined) forget(file);
    this.#waiting.delete(id);
  }
}

/** The result of a swap: the staged version is the file now. */
interface InPlace {
  readonly image: Image;
  readonly displaced: Displaced | undefined;
  readonly watch: ReadWatch | undefined;
}

/** The result of a swap that a save over the staged version undid at once; `displaced` is that save. */
interface Overtaken {
  readonly image: undefined;
  readonly displaced: Displaced;
}

function closing<T>(fd: number, use: () => T): T {
  try {
    return use();
  } finally {
    closeSync(fd);
  }
}

/** Returns the files of a folder by their ids. */
function filesIn(folder: string): Map<StagedId, string> {
  return new Map(
    readdirSync(folder).map((name) => {
      const file = join(folder, name);
      return [idOf(name, lstatSync(file, { bigint: true })), file];
    }),
  );
}
