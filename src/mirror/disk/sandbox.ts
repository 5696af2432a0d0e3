import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { STATE_FOLDER } from "../../state/folder.ts";
import { writersProbe } from "../../system/files.ts";
import {
  type FileProblem,
  type FileReading,
  type Files,
  type FolderList,
  type Image,
  isFileProblem,
  type LeftBehind,
  type Listed,
  type NotedSwap,
  type ReadWatch,
  type Skip,
  type Staged,
  type StagedId,
  sameImage,
} from "../files.ts";
import { looksText } from "../format.ts";
import { type DocPath, folderOf } from "../path.ts";
import type { Reached } from "../step.ts";
import { Beneath } from "./beneath.ts";
import { overwriteSync, readWhole } from "./io.ts";
import { openToRead, readSteadily } from "./reading.ts";
import { resolveBeneath } from "./resolve.ts";
import { foldsNames, otherSpelling } from "./spelling.ts";
import { Staging } from "./staging.ts";
import { changed, imageOf, problemOf, stampWritten } from "./stat.ts";
import { listFolder, walkFiles } from "./walk.ts";

const { W_OK, X_OK, O_RDONLY, O_WRONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;
const fsyncAsync = promisify(fsync);

/** Opens a workspace folder. @throws when it cannot be opened or its state folder cannot be made. */
export function openSandbox(folder: string, reached: Reached): Files {
  return new Sandbox(realpathSync(folder), reached);
}

class Sandbox implements Files {
  readonly root: string;
  readonly #beneath: Beneath;
  readonly #staging: Staging;
  readonly #writers = writersProbe();
  /** True where names that differ in case only are one name. */
  readonly #folds: boolean;

  constructor(root: string, reached: Reached) {
    this.root = root;
    this.#beneath = new Beneath(root);
    try {
      this.#staging = new Staging(join(root, STATE_FOLDER, "tmp"), this.#beneath, this.#writers, reached);
    } catch (error) {
      this.#beneath.close();
      throw error;
    }
    this.#folds = foldsNames(root);
  }

  isRootPresent(): boolean {
    return this.#beneath.isPresent();
  }

  resolve(path: DocPath): DocPath | FileProblem {
    return this.#misspelled(path) ?? resolveBeneath(this.#beneath, path);
  }

  look(path: DocPath): Image | FileProblem {
    const found = this.#beneath.within(path, (at) => imageOf(lstatSync(at, { bigint: true }), path));
    const image = isFileProblem(found) ? found : (this.#misspelled(path) ?? found);
    if (!isFileProblem(image)) this.#staging.looked(image);
    return image;
  }

  openForWriting(path: DocPath): boolean | undefined {
    const fd = this.#open(path);
    if (typeof fd !== "number") return undefined;
    try {
      return this.#writers(fd);
    } finally {
      closeSync(fd);
    }
  }

  get tellsReads(): boolean {
    return this.#staging.tellsReads;
  }

  watchReads(path: DocPath, image: Image): ReadWatch | undefined {
    return this.#staging.watchReads(path, image);
  }

  async read(path: DocPath, maxBytes: number): Promise<FileReading | FileProblem> {
    const fd = this.#open(path);
    return typeof fd === "number" ? readSteadily(fd, path, maxBytes) : fd;
  }

  async looksText(path: DocPath, bytes: number): Promise<boolean> {
    const fd = this.#open(path);
    if (typeof fd !== "number") return false;
    try {
      return fstatSync(fd).isFile() && looksText(await readWhole(fd, bytes - 1));
    } finally {
      closeSync(fd);
    }
  }

  replaceable(image: Image): boolean {
    return image.links === 1 && this.#staging.reaches(image) && this.#owns(image);
  }

  stage(pieces: readonly Uint8Array[], like: Image | undefined, docId = ""): Promise<Staged | FileProblem> {
    return this.#staging.stage(pieces, like, docId);
  }

  isStaged(id: StagedId): boolean {
    return this.#staging.has(id);
  }

  clearLeftBehind(swaps: readonly NotedSwap[], maxBytes: number): readonly LeftBehind[] {
    return this.#staging.clearLeftBehind(swaps, maxBytes);
  }

  isHidden(by: StagedId): boolean {
    return this.#staging.isHidden(by);
  }

  overwrite(path: DocPath, pieces: readonly Uint8Array[], expected: Image): Image | FileProblem {
    return this.#beneath.within(path, (at) => {
      const fd = openSync(at, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const now = imageOf(fstatSync(fd, { bigint: true }), path);
        if ("kind" in now) return now;
        if (!sameImage(now, expected)) return changed(path);
        overwriteSync(fd, now.size, pieces);
        const written = imageOf(fstatSync(fd, { bigint: true }), path);
        // The new stamps would hide whether anybody had read the text before.
        if (!isFileProblem(written)) this.#staging.looked(written);
        if (this.#owns(now)) stampWritten(fd, now);
        return imageOf(fstatSync(fd, { bigint: true }), path);
      } finally {
        closeSync(fd);
      }
    });
  }

  async sync(path: DocPath): Promise<FileProblem | undefined> {
    const file = this.#open(path);
    if (typeof file !== "number" && file.kind !== "missing") return file;
    const opened = [file, ...this.#openFolders(path)].filter((fd) => typeof fd === "number");
    try {
      for (const fd of opened) await fsyncAsync(fd);
      return undefined;
    } catch (error) {
      return problemOf(error, path);
    } finally {
      for (const fd of opened) closeSync(fd);
    }
  }

  remove(path: DocPath, expected: Image): FileProblem | undefined {
    return this.#beneath.within(path, (at) => {
      const now = imageOf(lstatSync(at, { bigint: true }), path);
      if ("kind" in now) return now;
      if (!sameImage(now, expected)) return changed(path);
      unlinkSync(at);
      return undefined;
    });
  }

  rename(path: DocPath, to: DocPath): Image | FileProblem {
    return (
      this.makeFolders(to) ??
      this.#beneath.within(path, (from) =>
        this.#beneath.within(to, (target) => {
          const there = lstatSync(target, { bigint: true, throwIfNoEntry: false });
          // Both may be one name: a change of case on a file system that ignores case. The system renames no hard link
          // to another name of the same file, and reports success.
          const isOther = there?.ino !== lstatSync(from, { bigint: true }).ino || !isOneName(path, to);
          if (there !== undefined && isOther) return exists(to);
          const refused = renamed({ path, at: from }, { path: to, at: target });
          return refused ?? imageOf(lstatSync(target, { bigint: true }), to);
        }),
      )
    );
  }

  makeFolders(path: DocPath): FileProblem | undefined {
    const parts = path.split("/").slice(0, -1);
    for (const [i, part] of parts.entries()) {
      const folder = [...parts.slice(0, i), part].join("/") as DocPath;
      const problem = this.#beneath.within(folder, (at) => {
        if (lstatSync(at, { throwIfNoEntry: false }) === undefined) mkdirSync(at);
        return undefined;
      });
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  removeFolder(folder: DocPath): FileProblem | undefined {
    return this.#beneath.within(folder, (at) => rmdirSync(at) ?? undefined);
  }

  async names(folder: string): Promise<readonly string[]> {
    const names = await this.#beneath.inFolder(folder, (at) => readdir(at));
    return isFileProblem(names) ? [] : names;
  }

  list(folder: string, skip: Skip): Promise<FolderList | FileProblem> {
    return listFolder(this.#beneath, folder, skip);
  }

  walk(skip: Skip): AsyncIterable<Listed> {
    return walkFiles(this.#beneath, skip);
  }

  close(): void {
    this.#beneath.close();
  }

  /** Returns true when the system allows this process to set the file's owner, mode and times. */
  #owns(image: Image): boolean {
    const ours = process.geteuid?.() ?? image.uid;
    return ours === 0 || ours === image.uid;
  }

  /** Opens the folders that lead to a file, innermost first. */
  #openFolders(path: DocPath): (number | FileProblem)[] {
    const folder = this.#beneath.within(path, (at) => openSync(dirname(at), O_RDONLY | O_DIRECTORY));
    const above = folderOf(path);
    return above === "" ? [folder] : [folder, ...this.#openFolders(above as DocPath)];
  }

  #open(path: DocPath): number | FileProblem {
    return this.#misspelled(path) ?? this.#beneath.within(path, openToRead);
  }

  /** Returns the problem of a path that the disk spells in another way. */
  #misspelled(path: DocPath): FileProblem | undefined {
    return this.#folds ? otherSpelling(this.#beneath, path) : undefined;
  }
}

interface Named {
  readonly path: DocPath;
  readonly at: string;
}

/** Renames a file; returns the system's refusal, which names the side that it refuses. */
function renamed(from: Named, to: Named): FileProblem | undefined {
  try {
    renameSync(from.at, to.at);
    return undefined;
  } catch (error) {
    if (isAcrossMounts(error)) return problemOf(error, `${from.path} to ${to.path}`);
    return problemOf(error, mayChange(dirname(to.at)) ? from.path : to.path);
  }
}

/** Returns true for paths that a file system may take for one: they differ in case or in Unicode form alone. */
function isOneName(path: DocPath, other: DocPath): boolean {
  const [a, b] = [path, other].map((name) => name.normalize("NFC").toLowerCase());
  return a === b;
}

function isAcrossMounts(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EXDEV";
}

/** Returns true if the system lets this process make and remove names in a folder. */
function mayChange(folder: string): boolean {
  try {
    accessSync(folder, W_OK | X_OK);
    return true;
  } catch {
    return false;
  }
}

function exists(path: DocPath): FileProblem {
  return { kind: "exists", message: `${path} is already there` };
}
