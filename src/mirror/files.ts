import type { DocPath } from "./path.ts";

/** The stamps of a file at one look. Times are nanoseconds since the epoch. */
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
  /** The time at which the file was made; absent or 0 where the system or an earlier version did not tell. */
  readonly birthNs?: bigint;
}

/**
 * The reason why a file cannot be used. `missing`: no such file. `not_file`: a folder, FIFO, device or socket.
 * `escape`: a link leads, or would lead, out of the workspace. `denied`: permissions, or a read-only file system.
 * `full`: no space. `too_large`: over the size limit. `changed`: not the file that the caller expected. `exists`:
 * already there. `io`: any other error.
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

/** The error of a walk through folders of which the system failed to read one: it would leave out files. */
export class FolderError extends Error {
  override readonly name = "FolderError";
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Returns true when the stamps of two looks show no write between them. */
export function sameImage(a: Image, b: Image): boolean {
  return sameContentStamp(a, b) && a.ctimeNs === b.ctimeNs;
}

/** Does the same as sameImage, but ignores the change time, which a rename or chmod moves. */
export function sameContentStamp(a: Image, b: Image): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/**
 * Returns true for two looks at one file, which may have been written meanwhile. Systems use inodes again; such a file has
 * another time of birth.
 */
export function sameFile(a: Image, b: Image): boolean {
  const isBorn = a.birthNs !== undefined && a.birthNs !== 0n && a.birthNs === b.birthNs;
  return sameContentStamp(a, b) || (isBorn && a.dev === b.dev && a.ino === b.ino);
}

/**
 * Returns true for a save after `known`. The change time decides, since a program may set any modification time. A
 * power cut can empty a file, tear its content or give it earlier stamps: that is no save.
 */
export function isLaterSave(image: Image, known: Image): boolean {
  if (image.size === 0 || image.ctimeNs <= known.ctimeNs) return false;
  return image.mtimeNs !== known.mtimeNs || image.ino !== known.ino;
}

/** Returns an image from before a restart of the machine with the device's present number. */
export function onDevice(noted: Image, dev: bigint): Image {
  return { ...noted, dev };
}

export interface FileReading {
  readonly image: Image;
  readonly bytes: Uint8Array;
}

/**
 * Identifies a staged version among all versions ever staged. An inode number does not, because the system reuses it.
 */
export type StagedId = string;

/**
 * A new version of a file, in a folder beside the documents, ready to take the file's place. After a refused swap it
 * stays in that folder until the caller discards it.
 */
export interface Staged {
  readonly id: StagedId;
  readonly image: Image;
  /** Puts this version in the file's place, if the file still is `expected`. */
  swap(path: DocPath, expected: Image): Swapped | Unswapped;
  /** Makes this version a new file; refuses when a file is there. */
  link(path: DocPath): Image | FileProblem;
  discard(): void;
}

export interface Swapped {
  /** The image of the file now. */
  readonly image: Image;
  /** The replaced file; undefined where the file system cannot keep it. */
  readonly displaced: Displaced | undefined;
  /**
   * Reports whether other processes read this version; undefined where a reading leaves no trace. The caller closes it.
   */
  readonly watch: ReadWatch | undefined;
}

/** The reason why a version was not swapped in; for `changed`, the file is a save that came meanwhile. */
interface Unswapped extends FileProblem {
  /** True when the version was the file for an instant, so that another process may have read it. */
  readonly wasInPlace?: boolean;
  /** A save over the staged version, in the instant that this was the file. */
  readonly overtaking?: Displaced;
}

/**
 * A file that a swap took out of its place. Processes that have it open may still write to it, so it exists until the
 * caller discards it (I3).
 */
export interface Displaced {
  look(): Image | FileProblem;
  openForWriting(): boolean | undefined;
  read(maxBytes: number): Promise<FileReading | FileProblem>;
  discard(): void;
}

/**
 * The readings of a file's version by other processes. `unclear`: a process wrote to the file in place, and the last
 * reading was at that time or later.
 */
export type Readings = "none" | "some" | "unclear";

/** Reports whether another process has read a version of a file that the daemon wrote, also after its replacement. */
export interface ReadWatch {
  readings(): Readings;
  close(): void;
}

/** A swap that an earlier process noted and whose end it did not note. */
export interface NotedSwap {
  readonly staged: StagedId;
  /** The file that the version was to replace; undefined if the version is known to have replaced it. */
  readonly expected: Image | undefined;
}

/** A file that an earlier daemon process displaced, with its present content. */
export interface LeftBehind {
  readonly docId: string;
  /** The version that displaced it; undefined if no swap of such a version was noted. */
  readonly by: StagedId | undefined;
  /** True for a save that the process had not seen: it ended before it put the save back. */
  readonly isUnseen: boolean;
  readonly file: Displaced;
  /** The image is from before the reading, so that a write during the reading shows as a later one. */
  readonly reading: FileReading;
}

/** Returns true for a file or a folder that a walk leaves out; it never enters such a folder. */
export type Skip = (path: DocPath, isFolder: boolean) => boolean;

/** A regular file of a folder, as one look found it. */
export interface Listed {
  readonly path: DocPath;
  readonly image: Image;
}

/** The entries of a folder, in name order: regular files and folders, without links and reserved folders. */
export interface FolderList {
  readonly folders: readonly DocPath[];
  readonly files: readonly Listed[];
}

/**
 * The only access to the workspace's files. Every call checks, at the moment of opening, that the path contains no link
 * and stays beneath the root (I12), and opens only regular files. Calls without a promise take microseconds. They are
 * synchronous, so that no other call comes between a compare and a swap.
 */
export interface Files {
  /** The root folder's own path, to display. */
  readonly root: string;
  /** Returns false while the root folder is missing, or is another than the one that was opened. */
  isRootPresent(): boolean;
  /** Follows links inside the workspace to the file's own path. */
  resolve(path: DocPath): DocPath | FileProblem;
  look(path: DocPath): Image | FileProblem;
  /** Reads a whole file. Returns `changed` when another process wrote to it meanwhile (I5). */
  read(path: DocPath, maxBytes: number): Promise<FileReading | FileProblem>;
  /** Returns true while another process has the file open for writing; undefined where the system cannot report it. */
  openForWriting(path: DocPath): boolean | undefined;
  /** True when the system shows whether a file that the daemon wrote was read. The daemon's own readings do not count. */
  readonly tellsReads: boolean;
  /** Watches a file that the daemon wrote, if it is still `image`; undefined if another process may have read it. */
  watchReads(path: DocPath, image: Image): ReadWatch | undefined;
  /** Returns the names in a folder ("" is the root); none when the folder cannot be read. */
  names(folder: string): Promise<readonly string[]>;
  /** Resolves with true when a file's first bytes look like text; a guess, for listings. */
  looksText(path: DocPath, bytes: number): Promise<boolean>;
  /** Returns false when a replacement of the file would lose its owner or other links to it. */
  replaceable(image: Image): boolean;
  /** Writes a new version of a document's file to the staging folder, with the mode and owner of `like`. */
  stage(
    pieces: readonly Uint8Array[],
    like: Image | undefined,
    docId?: string,
  ): Promise<Staged | FileProblem>;
  /** Returns true for a version that this process or an earlier one staged, and that was not swapped in. */
  isStaged(id: StagedId): boolean;
  /**
   * Removes the staged and displaced files of earlier processes, except the staged versions of `swaps`, from which
   * recovery still draws conclusions. Returns the displaced files of up to `maxBytes` that another process still writes
   * to, and those that no process had seen.
   */
  clearLeftBehind(swaps: readonly NotedSwap[], maxBytes: number): readonly LeftBehind[];
  /** Returns true for a version whose displaced file the system refused to show then; the file stays. */
  isHidden(by: StagedId): boolean;
  /** Writes into the file itself, which keeps its other hard links; not atomic. */
  overwrite(path: DocPath, pieces: readonly Uint8Array[], expected: Image): Image | FileProblem;
  /**
   * Resolves when a power cut would change neither the file nor its place, or its absence. Takes milliseconds, in the
   * thread pool.
   */
  sync(path: DocPath): Promise<FileProblem | undefined>;
  remove(path: DocPath, expected: Image): FileProblem | undefined;
  /** Moves a file, never over another one, and makes the folders that it needs. */
  rename(path: DocPath, to: DocPath): Image | FileProblem;
  makeFolders(path: DocPath): FileProblem | undefined;
  /** Removes a folder that is empty. */
  removeFolder(folder: DocPath): FileProblem | undefined;
  /** Lists one folder ("" is the root), without its subfolders' content and without the paths to skip. */
  list(folder: string, skip: Skip): Promise<FolderList | FileProblem>;
  /**
   * Yields the regular files beneath the root, without links and reserved folders, in name order within a folder. @throws
   * FolderError where the system fails to read a folder
   */
  walk(skip: Skip): AsyncIterable<Listed>;
  close(): void;
}
