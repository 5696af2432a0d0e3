import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Beneath } from "./beneath.ts";
import { forget, usableExchange } from "./exchange.ts";
import {
  type FileProblem,
  type Files,
  type Image,
  type Listed,
  type Reading,
  type Staged,
  type StagedId,
  sameContentStamp,
  sameImage,
} from "./files.ts";
import { looksText } from "./format.ts";
import { readWhole, writeAll, writeAllSync } from "./io.ts";
import { type DocPath, folderOf, isPathProblem, parsePath, STATE_FOLDER } from "./path.ts";
import { imageOf, problemOf, sameStaged } from "./stat.ts";
import type { Reached } from "./step.ts";
import { type Exchange, type Writers, writersProbe } from "./system.ts";
import { walkFiles } from "./walk.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;
const fsyncAsync = promisify(fsync);
/** Up to this many bytes are written at once; more goes to the thread pool, so that others go on (I14). */
const AT_ONCE = 256 * 1024;

/** Opens a workspace folder. @throws when it cannot be opened or its state folder cannot be made. */
export function openSandbox(folder: string, reached: Reached): Files {
  return new Sandbox(realpathSync(folder), reached);
}

class Sandbox implements Files {
  readonly root: string;
  readonly #reached: Reached;
  readonly #beneath: Beneath;
  readonly #staging: string;
  readonly #stagingDevice: bigint;
  /** What was staged, by this process or earlier ones, and neither swapped in nor discarded; where it is. */
  readonly #waiting: Map<StagedId, string>;
  readonly #leftBehind: readonly StagedId[];
  readonly #run = `${process.pid}-${Date.now().toString(36)}`;
  readonly #exchange: Exchange | undefined;
  readonly #writers: Writers = writersProbe();
  #staged = 0;

  constructor(root: string, reached: Reached) {
    this.root = root;
    this.#reached = reached;
    this.#beneath = new Beneath(root);
    this.#staging = join(root, STATE_FOLDER, "tmp");
    this.#waiting = filesIn(this.#staging);
    this.#leftBehind = [...this.#waiting.keys()];
    mkdirSync(this.#staging, { recursive: true, mode: 0o700 });
    this.#stagingDevice = lstatSync(this.#staging, { bigint: true }).dev;
    this.#exchange = usableExchange(this.#staging);
  }

  rootStands(): boolean {
    return this.#beneath.stands();
  }

  resolve(path: DocPath): DocPath | FileProblem {
    try {
      const real = realpathSync(join(this.root, path));
      const inside = real.startsWith(`${this.root}/`)
        ? parsePath(real.slice(this.root.length + 1))
        : undefined;
      if (inside !== undefined && !isPathProblem(inside)) return inside;
      return {
        kind: "escape",
        message: `${path} is a link that leads out of the workspace`,
      };
    } catch (error) {
      return problemOf(error, path);
    }
  }

  look(path: DocPath): Image | FileProblem {
    return this.#beneath.within(path, (at) => imageOf(lstatSync(at, { bigint: true }), path));
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

  async read(path: DocPath, maxBytes: number): Promise<Reading | FileProblem> {
    const fd = this.#open(path);
    if (typeof fd !== "number") return fd;
    try {
      const before = imageOf(fstatSync(fd, { bigint: true }), path);
      if ("kind" in before) return before;
      if (before.size > maxBytes)
        return {
          kind: "too_large",
          message: `${path} has ${before.size} bytes; the limit is ${maxBytes}`,
        };
      const bytes = await readWhole(fd, before.size, AT_ONCE);
      const after = imageOf(fstatSync(fd, { bigint: true }), path);
      if ("kind" in after) return after;
      if (!sameImage(before, after) || bytes.length !== after.size)
        return {
          kind: "changed",
          message: `${path} was written to while it was read`,
        };
      return { image: after, bytes };
    } catch (error) {
      return problemOf(error, path);
    } finally {
      closeSync(fd);
    }
  }

  async looksText(path: DocPath, bytes: number): Promise<boolean> {
    const fd = this.#open(path);
    if (typeof fd !== "number") return false;
    try {
      return fstatSync(fd).isFile() && looksText(await readWhole(fd, bytes - 1, AT_ONCE));
    } finally {
      closeSync(fd);
    }
  }

  replaceable(image: Image): boolean {
    const ours = process.geteuid?.() ?? image.uid;
    return image.links === 1 && image.dev === this.#stagingDevice && (ours === 0 || ours === image.uid);
  }

  async stage(pieces: readonly Uint8Array[], like: Image | undefined): Promise<Staged | FileProblem> {
    const name = `${this.#run}-${this.#staged++}`;
    const at = join(this.#staging, name);
    let fd: number | undefined;
    try {
      fd = openSync(at, O_WRONLY | O_CREAT | O_EXCL, 0o666);
      const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (size <= AT_ONCE) writeAllSync(fd, pieces);
      else await writeAll(fd, pieces);
      if (like !== undefined) this.#dress(fd, like);
      const image = imageOf(fstatSync(fd, { bigint: true }), at);
      closeSync(fd);
      fd = undefined;
      if ("kind" in image) return image;
      const id = idOf(name, image);
      this.#waiting.set(id, at);
      const discard = () => this.#discard(id);
      return {
        id,
        image,
        swap: (path, expected) => this.#swap(at, image, path, expected, discard),
        link: (path) => this.#link(at, image, path, discard),
        discard,
      };
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      forget(at);
      const problem = problemOf(error, "the staging folder");
      // That it is gone says nothing about the document's own file.
      return problem.kind === "missing" ? { ...problem, kind: "io" } : problem;
    }
  }

  isStaged(id: StagedId): boolean {
    return this.#waiting.has(id);
  }

  clearLeftBehind(keep: readonly StagedId[]): void {
    for (const id of this.#leftBehind) if (!keep.includes(id)) this.#discard(id);
  }

  overwrite(path: DocPath, pieces: readonly Uint8Array[], expected: Image): Image | FileProblem {
    return this.#beneath.within(path, (at) => {
      const fd = openSync(at, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const now = imageOf(fstatSync(fd, { bigint: true }), path);
        if ("kind" in now) return now;
        if (!sameImage(now, expected)) return changed(path);
        ftruncateSync(fd, writeAllSync(fd, pieces));
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
          // The same file under both names: a change of case where case does not count.
          if (there !== undefined && there.ino !== lstatSync(from, { bigint: true }).ino) return exists(to);
          renameSync(from, target);
          return imageOf(lstatSync(target, { bigint: true }), to);
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

  names(folder: string): readonly string[] {
    // Named as a file in the folder, so that every folder on the way is checked, this one too.
    const inside = (folder === "" ? "x" : `${folder}/x`) as DocPath;
    const names = this.#beneath.within(inside, (at) => readdirSync(dirname(at)));
    return Array.isArray(names) ? names : [];
  }

  walk(skip: (path: string) => boolean): AsyncIterable<Listed> {
    return walkFiles(this.root, skip);
  }

  close(): void {
    this.#beneath.close();
  }

  /** The folders that lead to a file, innermost first. */
  #openFolders(path: DocPath): (number | FileProblem)[] {
    const folder = this.#beneath.within(path, (at) => openSync(dirname(at), O_RDONLY | O_DIRECTORY));
    const above = folderOf(path);
    return above === "" ? [folder] : [folder, ...this.#openFolders(above as DocPath)];
  }

  #open(path: DocPath): number | FileProblem {
    return this.#beneath.within(path, (at) => openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  }

  #swap(
    staged: string,
    image: Image,
    path: DocPath,
    expected: Image,
    discard: () => void,
  ): Image | FileProblem {
    return this.#beneath.within(path, (at) => {
      const now = imageOf(lstatSync(at, { bigint: true }), path);
      if ("kind" in now) return now;
      if (!sameImage(now, expected)) return changed(path);
      const displaced = this.#put(staged, at);
      this.#reached("swapped");
      if (displaced === undefined || sameContentStamp(displaced, expected)) {
        discard();
        return sameStaged(image, lstatSync(at, { bigint: true }));
      }
      // Saved between the look and the swap: that save goes back in its place, to be taken in (I3).
      this.#put(staged, at);
      return changed(path);
    });
  }

  /** Removes whatever is at a staged version's name: the version itself, or what it displaced. */
  #discard(id: StagedId): void {
    const file = this.#waiting.get(id);
    if (file !== undefined) forget(file);
    this.#waiting.delete(id);
  }

  /** Puts a staged file in place; answers what was there and is now at the staged name, where that can be had. */
  #put(staged: string, at: string): Image | undefined {
    if (this.#exchange === undefined) {
      renameSync(staged, at);
      return undefined;
    }
    this.#exchange(staged, at);
    const displaced = imageOf(lstatSync(staged, { bigint: true }), staged);
    return "kind" in displaced ? undefined : displaced;
  }

  #link(staged: string, image: Image, path: DocPath, discard: () => void): Image | FileProblem {
    const done = this.#beneath.within(path, (at) => {
      linkSync(staged, at);
      forget(staged);
      return sameStaged(image, lstatSync(at, { bigint: true }));
    });
    discard();
    return done;
  }

  /** Gives a new version the mode and owner of the file that it replaces (I11). */
  #dress(fd: number, like: Image): void {
    const stats = fstatSync(fd);
    if (stats.uid !== like.uid || stats.gid !== like.gid) fchownSync(fd, like.uid, like.gid);
    fchmodSync(fd, like.mode);
  }
}

/** What a swap leaves at the staged name is another file, so that it does not pass for the staged one. */
function idOf(name: string, { ino }: Pick<Image, "ino">): StagedId {
  return `${name} ${ino}`;
}

/** The files in a folder by identity; none when there is no folder yet. */
function filesIn(folder: string): Map<StagedId, string> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(
    names.map((name) => {
      const file = join(folder, name);
      return [idOf(name, lstatSync(file, { bigint: true })), file];
    }),
  );
}

function changed(path: DocPath): FileProblem {
  return { kind: "changed", message: `${path} was saved meanwhile` };
}

function exists(path: DocPath): FileProblem {
  return { kind: "exists", message: `${path} is already there` };
}
