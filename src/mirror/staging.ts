import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeOwnFolder } from "../state/own.ts";
import type { Beneath } from "./beneath.ts";
import {
  type Displaced,
  type FileProblem,
  type Image,
  isFileProblem,
  type LeftBehind,
  type Staged,
  type StagedId,
  sameImage,
} from "./files.ts";
import { AT_ONCE, writeAll, writeAllSync } from "./io.ts";
import type { DocPath } from "./path.ts";
import { openToRead, readSteadily } from "./reading.ts";
import { forget, type Replaced, type Replacing, replacingIn } from "./replace.ts";
import { changed, imageOf, imagePlaced, problemOf, tellApart } from "./stat.ts";
import type { Reached } from "./step.ts";
import { attributeCarrier, type Writers } from "./system.ts";

const { O_WRONLY, O_CREAT, O_EXCL } = constants;

/** New versions of files, in a folder of our own on the same file system, and the files that they displaced. */
export class Staging {
  readonly #device: bigint;
  readonly #folder: string;
  readonly #beneath: Beneath;
  readonly #writers: Writers;
  readonly #reached: Reached;
  readonly #replacing: Replacing;
  /** Files that are mounts, or on one of this very file system. */
  readonly #elsewhere = new Set<bigint>();
  readonly #carryAttributes = attributeCarrier();
  /** What was staged, by this process or earlier ones, and neither swapped in nor discarded; where it is. */
  readonly #waiting: Map<StagedId, string>;
  readonly #leftBehind: readonly StagedId[];
  readonly #run = `${process.pid}-${Date.now().toString(36)}`;
  #count = 0;

  /** @throws when the folder cannot be made */
  constructor(folder: string, beneath: Beneath, writers: Writers, reached: Reached) {
    this.#folder = folder;
    this.#beneath = beneath;
    this.#writers = writers;
    this.#reached = reached;
    makeOwnFolder(dirname(folder));
    makeOwnFolder(folder);
    this.#device = lstatSync(folder, { bigint: true }).dev;
    this.#waiting = filesIn(folder);
    this.#leftBehind = [...this.#waiting.keys()];
    this.#replacing = replacingIn(folder);
  }

  async stage(
    pieces: readonly Uint8Array[],
    like: Image | undefined,
    docId: string,
  ): Promise<Staged | FileProblem> {
    const name = `${docId}.${this.#run}-${this.#count++}`;
    const at = join(this.#folder, name);
    let fd: number | undefined;
    try {
      if (!lstatSync(this.#folder).isDirectory()) return notAFolder(this.#folder);
      fd = openSync(at, O_WRONLY | O_CREAT | O_EXCL, 0o666);
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (size <= AT_ONCE) writeAllSync(fd, pieces);
      else await writeAll(fd, pieces);
      if (like !== undefined) dress(fd, like);
      const image = imageOf(fstatSync(fd, { bigint: true }), at);
      closeSync(fd);
      fd = undefined;
      return isFileProblem(image) ? image : this.#staged(idOf(name, image), at, image);
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      forget(at);
      const problem = problemOf(error, "the staging folder");
      // That it is gone says nothing about the document's own file.
      return problem.kind === "missing" ? { ...problem, kind: "io" } : problem;
    }
  }

  /** False of a file in whose place nothing can be put from here. */
  reaches({ dev, ino }: Image): boolean {
    return dev === this.#device && !this.#elsewhere.has(ino);
  }

  has(id: StagedId): boolean {
    return this.#waiting.has(id);
  }

  clearLeftBehind(keep: readonly StagedId[], maxBytes: number): readonly LeftBehind[] {
    return this.#leftBehind.flatMap((id) => {
      const at = this.#waiting.get(id);
      if (at === undefined || keep.includes(id)) return [];
      const found = this.#writtenTo(id, at, maxBytes);
      if (found === undefined) this.#discard(id);
      else this.#waiting.delete(id);
      return found ?? [];
    });
  }

  /** A file that somebody writes to was displaced: a new version is open to nobody but the process that made it. */
  #writtenTo(id: StagedId, at: string, maxBytes: number): LeftBehind | undefined {
    const file = this.#displaced(at, at);
    const image = file.look();
    if (isFileProblem(image) || image.size > maxBytes || file.openForWriting() !== true) return undefined;
    try {
      const bytes = ((fd) => closing(fd, () => readFileSync(fd)))(openToRead(at));
      return { docId: docIdOf(id), file, reading: { image, bytes } };
    } catch {
      return undefined; // the disk cannot read it, so nothing can be merged from it
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
        return swapped.image === undefined ? { ...changed(path), overtaking: swapped.displaced } : swapped;
      },
      link: (path) => {
        const done = this.#beneath.within(path, (target) => {
          const linked = linkOrCopy(at, target);
          forget(at);
          return linked ? imagePlaced(image, target) : imageOf(lstatSync(target, { bigint: true }), path);
        });
        this.#discard(id);
        return done;
      },
      discard: () => this.#discard(id),
    };
  }

  #swap(staged: string, image: Image, path: DocPath, expected: Image): InPlace | Overtaken | FileProblem {
    return this.#beneath.within(path, (at) => {
      const now = imageOf(lstatSync(at, { bigint: true }), path);
      if (isFileProblem(now)) return now;
      if (!sameImage(now, expected)) return changed(path);
      this.#carryAttributes?.(at, staged);
      const replaced = this.#replaced(staged, at, expected);
      if (replaced === undefined) return changed(path); // in place, the next time
      const { done, kept } = replaced;
      this.#reached("swapped");
      const displaced = kept === undefined ? undefined : this.#displaced(kept, path);
      if (done) return { image: imagePlaced(image, at), displaced };
      return displaced === undefined ? changed(path) : { image: undefined, displaced };
    });
  }

  /** Undefined, from then on, for a file that cannot change places with one from here: it is a mount, or in one. */
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

/** The staged version is the file, and this is what was. */
interface InPlace {
  readonly image: Image;
  readonly displaced: Displaced | undefined;
}

/** It was the file for an instant, in which this was saved over it. */
interface Overtaken {
  readonly image: undefined;
  readonly displaced: Displaced;
}

function notAFolder(folder: string): FileProblem {
  return { kind: "io", message: `the staging folder ${folder} is a link or a file; remove it` };
}

function closing<T>(fd: number, use: () => T): T {
  try {
    return use();
  } finally {
    closeSync(fd);
  }
}

/** Gives a new version the mode and owner of the file that it replaces (I11), and a later time. */
function dress(fd: number, like: Image): void {
  const stats = fstatSync(fd);
  if (stats.uid !== like.uid || stats.gid !== like.gid) fchownSync(fd, like.uid, like.gid);
  fchmodSync(fd, like.mode);
  tellApart(fd, like);
}

/** Makes a new file; false where that took a copy. @throws also when there is one already */
function linkOrCopy(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return false;
  }
}

/** The system does not move files between mounts, not even of one file system, nor replace what is one itself. */
function isElsewhere(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EXDEV" || code === "EBUSY";
}

function docIdOf(id: StagedId): string {
  return id.slice(0, id.indexOf("."));
}

/** What a swap leaves at the staged name is another file, so that it does not pass for the staged one. */
function idOf(name: string, { ino }: Pick<Image, "ino">): StagedId {
  return `${name} ${ino}`;
}

/** What is in a folder by identity. */
function filesIn(folder: string): Map<StagedId, string> {
  return new Map(
    readdirSync(folder).map((name) => {
      const file = join(folder, name);
      return [idOf(name, lstatSync(file, { bigint: true })), file];
    }),
  );
}
