import {
  type Displaced,
  type FileProblem,
  type FileReading,
  type Files,
  type FolderList,
  type Image,
  isFileProblem,
  isLaterSave,
  type LeftBehind,
  type Listed,
  type NotedSwap,
  type Readings,
  type ReadWatch,
  type Skip,
  type Staged,
  type StagedId,
  type Swapped,
  sameImage,
} from "../../src/mirror/files.ts";
import { looksText } from "../../src/mirror/format.ts";
import { type DocPath, folderOf, isPathProblem, parsePath } from "../../src/mirror/path.ts";
import { folded } from "../../src/paths/glob.ts";
import { type FakeDisk, type Inode, imageOfInode } from "./fake-disk.ts";

interface FakeFilesOptions {
  /** Asynchronous calls continue when this resolves; at once by default. */
  readonly gate?: (what: string) => Promise<void>;
  /** Called at the start of each call, to change the disk at that moment. */
  readonly before?: (what: string) => void;
  /** Returns true to end the process between the two exchanges of a swap that met an unseen save. */
  readonly diesInSwap?: () => boolean;
  /** True when the system refuses to show the files that earlier processes displaced. */
  readonly hidesLeft?: boolean;
  /** A defect that tests plant: replaces a file without a look at its present version. */
  readonly swapBlindly?: boolean;
}

/** The files on a disk that processes staged and neither swapped in nor discarded, and those that they displaced. */
interface Staging {
  readonly waiting: Set<StagedId>;
  readonly displaced: Set<Kept>;
  count: number;
}

interface Kept {
  readonly docId: string;
  /** The version that displaced it. */
  readonly by: StagedId;
  readonly inode: Inode;
  readonly letGo: () => void;
}

const staging = new WeakMap<FakeDisk, Staging>();

/** One process's access to a FakeDisk. After the process died, each of its calls fails. */
export class FakeFiles implements Files {
  readonly #disk: FakeDisk;
  readonly #gate: (what: string) => Promise<void>;
  readonly #before: (what: string) => void;
  readonly #swapBlindly: boolean;
  readonly #diesInSwap: () => boolean;
  readonly #leftBehind: ReadonlySet<StagedId>;
  readonly #hidden = new Set<StagedId>();
  readonly #hidesLeft: boolean;
  /** The files that earlier processes displaced. */
  readonly #inherited: Kept[];
  readonly #staging: Staging;
  readonly #watches = new Map<Inode, Set<ReadWatch>>();
  #gone = false;

  constructor(disk: FakeDisk, options: FakeFilesOptions = {}) {
    this.#disk = disk;
    this.#hidesLeft = options.hidesLeft ?? false;
    this.#gate = options.gate ?? (() => Promise.resolve());
    this.#before = options.before ?? (() => {});
    this.#swapBlindly = options.swapBlindly ?? false;
    this.#diesInSwap = options.diesInSwap ?? (() => false);
    this.#staging = staging.get(disk) ?? { waiting: new Set(), displaced: new Set(), count: 0 };
    this.#leftBehind = new Set(this.#staging.waiting);
    this.#inherited = [...this.#staging.displaced];
    staging.set(disk, this.#staging);
  }

  /** Ends the process. Its staged versions stay in the staging folder, and its swapped ones in their places. */
  crash(): void {
    this.#gone = true;
  }

  get root(): string {
    return this.#disk.root;
  }

  isRootPresent(): boolean {
    return this.#disk.rootPresent;
  }

  resolve(path: DocPath): DocPath | FileProblem {
    const begun = this.#begin("resolve");
    return begun ?? (this.#disk.exists(path) && this.#disk.isSpelled(path) ? path : missing(path));
  }

  look(path: DocPath): Image | FileProblem {
    const inode = this.#begin("look") ?? this.#inode(path);
    if (isFileProblem(inode)) return inode;
    for (const watch of this.#watches.get(inode) ?? []) watch.readings();
    return imageOfInode(inode);
  }

  openForWriting(path: DocPath): boolean | undefined {
    const inode = this.#begin("openForWriting") ?? this.#inode(path);
    return isFileProblem(inode) ? undefined : inode.writers > 0;
  }

  async read(path: DocPath, maxBytes: number): Promise<FileReading | FileProblem> {
    const inode = this.#begin("read") ?? this.#inode(path);
    return isFileProblem(inode) ? inode : this.#readWhole(inode, path, maxBytes);
  }

  async #readWhole(inode: Inode, path: string, maxBytes: number): Promise<FileReading | FileProblem> {
    const before = imageOfInode(inode);
    if (before.size > maxBytes) return problem("too_large", `${path} has ${before.size} bytes`);
    const half = inode.bytes.slice(0, before.size / 2);
    await this.#gate("read");
    if (this.#gone) return gone();
    const after = imageOfInode(inode);
    if (!sameImage(before, after)) return problem("changed", `${path} was written to while it was read`);
    return { image: after, bytes: Buffer.concat([half, inode.bytes.subarray(half.length)]) };
  }

  get tellsReads(): boolean {
    return this.#disk.tellsReads;
  }

  watchReads(path: DocPath, image: Image): ReadWatch | undefined {
    const inode = this.#inode(path);
    if (!this.tellsReads || isFileProblem(inode) || inode.ino !== image.ino || inode.atimeNs !== 0n)
      return undefined;
    return this.#watch(inode, image);
  }

  async names(folder: string): Promise<readonly string[]> {
    return this.#names(folder);
  }

  #names(folder: string): readonly string[] {
    return this.#gone || !this.#disk.isFolder(folder) ? [] : this.#disk.entries(folder);
  }

  async looksText(path: DocPath, bytes: number): Promise<boolean> {
    const inode = this.#inode(path);
    return !isFileProblem(inode) && looksText(inode.bytes.subarray(0, bytes));
  }

  replaceable(image: Image): boolean {
    return image.links === 1;
  }

  async stage(
    pieces: readonly Uint8Array[],
    like: Image | undefined,
    docId = "",
  ): Promise<Staged | FileProblem> {
    const begun = this.#begin("stage");
    if (begun !== undefined) return begun;
    const bytes = Buffer.concat(pieces);
    if (this.#disk.full) return problem("full", "the staging folder: no space left");
    const inode = this.#disk.make(bytes, like?.mode);
    inode.atimeNs = 0n;
    if (like !== undefined) tellApart(inode, like.mtimeNs);
    await this.#gate("stage");
    if (this.#gone) return gone();
    const id = `staged-${this.#staging.count++}`;
    this.#staging.waiting.add(id);
    return {
      id,
      image: imageOfInode(inode),
      swap: (path, expected) => this.#swap(inode, { id, docId }, path, expected),
      link: (path) => this.#link({ inode, id }, path),
      discard: () => {
        if (!this.#gone) this.#staging.waiting.delete(id);
      },
    };
  }

  isStaged(id: StagedId): boolean {
    return this.#staging.waiting.has(id);
  }

  clearLeftBehind(swaps: readonly NotedSwap[], maxBytes: number): readonly LeftBehind[] {
    for (const id of this.#leftBehind)
      if (!swaps.some(({ staged }) => staged === id)) this.#staging.waiting.delete(id);
    return this.#inherited.splice(0).flatMap((kept) => {
      const { docId, inode, by } = kept;
      if (this.#hidesLeft) {
        this.#hidden.add(by);
        return [];
      }
      const image = imageOfInode(inode);
      const swap = swaps.find(({ staged }) => staged === by);
      const expected = swap?.expected;
      const isUnseen = expected !== undefined && isLaterSave(image, expected);
      if (!isUnseen && inode.writers === 0) {
        this.#release(kept);
        return [];
      }
      if (inode.bytes.length > maxBytes) {
        this.#hidden.add(by);
        return [];
      }
      const reading = { image, bytes: inode.bytes };
      const file = this.#displaced(kept, "what was replaced");
      return { docId, by: swap?.staged, isUnseen, file, reading };
    });
  }

  overwrite(path: DocPath, pieces: readonly Uint8Array[], expected: Image): Image | FileProblem {
    const inode = this.#begin("overwrite") ?? this.#expected(path, expected);
    if (isFileProblem(inode)) return inode;
    const bytes = Buffer.concat(pieces);
    if (this.#disk.full && bytes.length > inode.bytes.length)
      return problem("full", `${path}: no space left`);
    const before = inode.mtimeNs;
    this.#disk.unsynced(path, () => this.#disk.writeInto(inode, bytes));
    for (const watch of this.#watches.get(inode) ?? []) watch.readings();
    inode.atimeNs = 0n;
    tellApart(inode, before);
    return imageOfInode(inode);
  }

  isHidden(by: StagedId): boolean {
    return this.#hidden.has(by);
  }

  async sync(path: DocPath): Promise<FileProblem | undefined> {
    const before = this.#disk.inode(path);
    const { mtimeNs } = before ?? {};
    await this.#gate("sync");
    if (this.#gone) return gone();
    this.#disk.syncedNames(path, before);
    const now = this.#disk.inode(path);
    if (now === before && now?.mtimeNs === mtimeNs) this.#disk.synced(path);
    return undefined;
  }

  remove(path: DocPath, expected: Image): FileProblem | undefined {
    const inode = this.#begin("remove") ?? this.#expected(path, expected);
    if (isFileProblem(inode)) return inode;
    this.#disk.unname(path);
    return undefined;
  }

  rename(path: DocPath, to: DocPath): Image | FileProblem {
    const stopped = this.#begin("rename") ?? this.makeFolders(to);
    if (stopped !== undefined) return stopped;
    const inode = this.#inode(path);
    // Both may be one name: a change of case on a disk that folds names.
    const isOther = this.#disk.inode(to) !== inode || folded(path) !== folded(to);
    if (path !== to && this.#disk.exists(to) && isOther) return problem("exists", `${to} is already there`);
    if (isFileProblem(inode)) return inode;
    this.#disk.move(path, to);
    return imageOfInode(inode);
  }

  makeFolders(path: DocPath): FileProblem | undefined {
    if (this.#gone) return gone();
    const parts = path.split("/").slice(0, -1);
    for (let i = 1; i <= parts.length; i++) {
      const folder = parts.slice(0, i).join("/") as DocPath;
      if (!this.#disk.isFolder(folderOf(folder))) return missing(folder);
      if (!this.#disk.exists(folder)) this.#disk.makeFolder(folder);
    }
    return undefined;
  }

  removeFolder(folder: DocPath): FileProblem | undefined {
    const stopped = this.#begin("removeFolder");
    if (stopped !== undefined || this.#disk.removeFolder(folder)) return stopped;
    return problem("io", `${folder} is not an empty folder`);
  }

  async list(folder: string, skip: Skip): Promise<FolderList | FileProblem> {
    const begun = this.#begin("list");
    if (begun !== undefined) return begun;
    if (!this.#disk.isFolder(folder)) return missing(folder);
    const folders: DocPath[] = [];
    const files: Listed[] = [];
    for (const name of this.#names(folder)) {
      const path = parsePath(folder === "" ? name : `${folder}/${name}`);
      if (isPathProblem(path) || skip(path, this.#disk.isFolder(path))) continue;
      const inode = this.#disk.inode(path);
      if (this.#disk.isFolder(path)) folders.push(path);
      else if (inode !== undefined) files.push({ path, image: imageOfInode(inode) });
    }
    await this.#gate("list");
    return this.#gone ? gone() : { folders, files };
  }

  async *walk(skip: Skip, folder = ""): AsyncGenerator<Listed> {
    for (const name of this.#names(folder)) {
      const path = parsePath(folder === "" ? name : `${folder}/${name}`);
      if (isPathProblem(path) || skip(path, this.#disk.isFolder(path))) continue;
      if (this.#disk.isFolder(path)) yield* this.walk(skip, path);
      const inode = this.#disk.inode(path);
      if (inode !== undefined) yield { path, image: imageOfInode(inode) };
    }
  }

  close(): void {}

  #swap(
    staged: Inode,
    { id, docId }: { readonly id: StagedId; readonly docId: string },
    path: DocPath,
    expected: Image,
  ): Swapped | FileProblem {
    const wasExpected = !this.#gone && !isFileProblem(this.#expected(path, expected));
    const now = this.#begin("swap") ?? (this.#swapBlindly ? undefined : this.#expected(path, expected));
    if (now !== undefined && isFileProblem(now)) {
      // A save came after the look: the exchange met it.
      const unseen = this.#gone || !wasExpected ? undefined : this.#disk.inode(path);
      if (unseen === undefined || !this.#diesInSwap()) return now;
      this.#place(path, staged, id, this.#keep(unseen, docId, id));
      this.#staging.waiting.delete(id);
      this.#gone = true;
      return gone();
    }
    const kept = now && this.#keep(now, docId, id);
    const displaced = kept && this.#displaced(kept, path);
    this.#place(path, staged, id, kept);
    this.#staging.waiting.delete(id);
    const image = imageOfInode(staged);
    return { image, displaced, watch: this.#disk.tellsReads ? this.#watch(staged, image) : undefined };
  }

  /** Puts a staged version in a file's place. The staging folder has it again if a power cut undoes only that. */
  #place(path: DocPath, staged: Inode, id: StagedId, kept: Kept | undefined): void {
    const { waiting, displaced } = this.#staging;
    const undone = () => {
      waiting.add(id);
      if (kept !== undefined && displaced.delete(kept)) kept.inode.links--;
    };
    this.#disk.unsynced(
      path,
      () => this.#disk.nameNew(path, staged, undone),
      () => waiting.add(id),
    );
  }

  #watch(inode: Inode, image: Image): ReadWatch {
    let last: Readings | undefined;
    const readings = () => {
      const isOverwritten = inode.mtimeNs !== image.mtimeNs;
      const isOwn = isOverwritten && inode.atimeNs >= inode.mtimeNs;
      const found = inode.atimeNs === 0n ? "none" : isOwn ? "unclear" : "some";
      if (isOverwritten) last ??= found;
      return last ?? found;
    };
    const watch = { readings, close: () => void watches.delete(watch) };
    const watches = this.#watches.get(inode) ?? new Set<ReadWatch>();
    this.#watches.set(inode, watches.add(watch));
    return watch;
  }

  #keep(inode: Inode, docId: string, by: StagedId): Kept {
    const kept = { docId, by, inode, letGo: this.#disk.hold(inode) };
    this.#staging.displaced.add(kept);
    return kept;
  }

  #release(kept: Kept): void {
    if (this.#staging.displaced.delete(kept)) kept.letGo();
  }

  #displaced(kept: Kept, path: string): Displaced {
    const { inode } = kept;
    const isKept = () => this.#staging.displaced.has(kept);
    const reach = (what: string) => this.#begin(what) ?? (isKept() ? inode : missing(path));
    return {
      look: () => {
        const found = reach("look at displaced");
        return isFileProblem(found) ? found : imageOfInode(found);
      },
      openForWriting: () => (this.#gone || !isKept() ? undefined : inode.writers > 0),
      read: async (maxBytes) => {
        const found = reach("read displaced");
        return isFileProblem(found) ? found : this.#readWhole(found, path, maxBytes);
      },
      discard: () => {
        if (!this.#gone) this.#release(kept);
      },
    };
  }

  #link({ inode: staged, id }: { inode: Inode; id: StagedId }, path: DocPath): Image | FileProblem {
    const begun = this.#begin("link");
    if (begun !== undefined) return begun;
    if (!this.#disk.isFolder(folderOf(path))) return missing(path);
    if (this.#disk.exists(path)) return problem("exists", `${path} is already there`);
    this.#place(path, staged, id, undefined);
    this.#staging.waiting.delete(id);
    return imageOfInode(staged);
  }

  #begin(what: string): FileProblem | undefined {
    if (this.#gone) return gone();
    this.#before(what);
    return undefined;
  }

  #inode(path: DocPath): Inode | FileProblem {
    if (this.#gone) return gone();
    const inode = this.#disk.isSpelled(path) ? this.#disk.inode(path) : undefined;
    if (inode !== undefined) return inode;
    return this.#disk.isFolder(path) ? problem("not_file", `${path} is a folder`) : missing(path);
  }

  #expected(path: DocPath, expected: Image): Inode | FileProblem {
    const inode = this.#inode(path);
    if (isFileProblem(inode) || sameImage(imageOfInode(inode), expected)) return inode;
    return problem("changed", `another program saved ${path} meanwhile`);
  }
}

/** Gives a file that was just written a time in another millisecond than the version before. */
function tellApart(inode: Inode, before: bigint): void {
  const millisecond = before / 1_000_000n;
  if (inode.mtimeNs / 1_000_000n === millisecond) inode.mtimeNs = (millisecond + 1n) * 1_000_000n + 500_000n;
}

function problem(kind: FileProblem["kind"], message: string): FileProblem {
  return { kind, message };
}

function missing(path: string): FileProblem {
  return problem("missing", `${path}: no such file`);
}

function gone(): FileProblem {
  return problem("io", "the process is gone");
}
