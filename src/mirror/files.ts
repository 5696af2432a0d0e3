import type { DocPath } from "./path.ts";

/** What a file was at one look. Times are nanoseconds since the epoch. */
export interface Image {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** Permission bits, with set-id and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly links: number;
}

/**
 * Why a file could not be used. `missing`: no such file. `not_file`: a folder, FIFO, device, socket.
 * `escape`: a link leads, or would lead, out of the workspace. `denied`: permissions, or a read-only file
 * system. `full`: no space. `too_large`: over the size limit. `changed`: not what the caller expected.
 * `exists`: already there. `io`: anything else.
 */
export interface FileProblem {
  readonly kind:
    | "missing"
    | "not_file"
    | "escape"
    | "denied"
    | "full"
    | "too_large"
    | "changed"
    | "exists"
    | "io";
  readonly message: string;
}

export function isFileProblem(value: object): value is FileProblem {
  return "kind" in value && "message" in value;
}

/** True when nobody has written to the file between two looks, as far as its image tells. */
export function sameImage(a: Image, b: Image): boolean {
  return sameContentStamp(a, b) && a.ctimeNs === b.ctimeNs;
}

/** As sameImage, but blind to what a rename or chmod moves (the change time). */
export function sameContentStamp(a: Image, b: Image): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** An image noted before the machine was started anew: devices may have other numbers since. */
export function onDevice(noted: Image, dev: bigint): Image {
  return { ...noted, dev };
}

export interface FileReading {
  readonly image: Image;
  readonly bytes: Uint8Array;
}

/** Tells one staged version from all others that ever were; the system gives a file's own number out again. */
export type StagedId = string;

/**
 * A new version of a file, written beside the workspace's documents and waiting to take its place. One whose
 * swap was refused stays where it is until it is discarded.
 */
export interface Staged {
  readonly id: StagedId;
  readonly image: Image;
  /** Makes it the file, if the file still is `expected`. */
  swap(path: DocPath, expected: Image): Swapped | Unswapped;
  /** Makes it a new file; refuses when there is one. */
  link(path: DocPath): Image | FileProblem;
  discard(): void;
}

export interface Swapped {
  /** What the file is now. */
  readonly image: Image;
  /** What it was; undefined where the file system cannot keep that. */
  readonly displaced: Displaced | undefined;
}

/** The file was saved meanwhile and stays that save, or there is another reason why it was not swapped. */
export interface Unswapped extends FileProblem {
  /** What somebody saved over the staged version in the instant that it was the file. */
  readonly overtaking?: Displaced;
}

/**
 * A file that a swap took out of its place. Who had it open may still write to it, so it is kept until it is
 * discarded (I3).
 */
export interface Displaced {
  look(): Image | FileProblem;
  openForWriting(): boolean | undefined;
  read(maxBytes: number): Promise<FileReading | FileProblem>;
  discard(): void;
}

/** A file that an earlier process displaced, and what somebody has written to it by now. */
export interface LeftBehind {
  readonly docId: string;
  readonly file: Displaced;
  /** What it was before it was read: more may have been written while it was. */
  readonly reading: FileReading;
}

export interface Listed {
  readonly path: DocPath;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * The only door to the workspace's files. Every call checks, at the moment of opening, that the path has no
 * link in it and stays beneath the root (I12), and opens regular files only. Calls that answer without a
 * promise take microseconds; they do so at once so that nothing can come between a compare and a swap.
 */
export interface Files {
  /** The root folder's own path, for people. */
  readonly root: string;
  /** False while the root folder is gone or is another than the one that was opened. */
  rootStands(): boolean;
  /** Follows links inside the workspace to the file's own path. */
  resolve(path: DocPath): DocPath | FileProblem;
  look(path: DocPath): Image | FileProblem;
  /** Reads a whole file; `changed` when it was written to meanwhile (I5). */
  read(path: DocPath, maxBytes: number): Promise<FileReading | FileProblem>;
  /** True while some process has the file open for writing; undefined where the system does not tell. */
  openForWriting(path: DocPath): boolean | undefined;
  /** The names in a folder ("" is the root); none when it cannot be read. */
  names(folder: string): Promise<readonly string[]>;
  /** True when a file's first bytes could be those of a text; a guess, for listings. */
  looksText(path: DocPath, bytes: number): Promise<boolean>;
  /** False when a file cannot be replaced by another one without losing its owner or other links to it. */
  replaceable(image: Image): boolean;
  /** Writes a new version of a document's file aside, with the mode and owner of `like`. */
  stage(
    pieces: readonly Uint8Array[],
    like: Image | undefined,
    docId?: string,
  ): Promise<Staged | FileProblem>;
  /** True of a version that was staged, by this process or an earlier one, and not swapped in. */
  isStaged(id: StagedId): boolean;
  /**
   * Removes what earlier processes left behind, but for what is still to be told by, and what they displaced and
   * somebody still writes to, up to `maxBytes`, which is the caller's from now on.
   */
  clearLeftBehind(keep: readonly StagedId[], maxBytes: number): readonly LeftBehind[];
  /** Writes into the file itself, for one with several hard links; not atomic. */
  overwrite(path: DocPath, pieces: readonly Uint8Array[], expected: Image): Image | FileProblem;
  /**
   * Resolves once the file, and that it is at this path, or that nothing is, would outlast a power cut. Takes
   * milliseconds, in the thread pool.
   */
  sync(path: DocPath): Promise<FileProblem | undefined>;
  remove(path: DocPath, expected: Image): FileProblem | undefined;
  /** Moves a file; never over another one. Makes the folders it needs. */
  rename(path: DocPath, to: DocPath): Image | FileProblem;
  makeFolders(path: DocPath): FileProblem | undefined;
  /** Regular files beneath the root, links and reserved folders left out, in path order within a folder. */
  walk(skip: (path: string) => boolean): AsyncIterable<Listed>;
  close(): void;
}
