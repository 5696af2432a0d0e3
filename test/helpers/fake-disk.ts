import type { Clock } from "../../src/mirror/clock.ts";
import type { Image } from "../../src/mirror/files.ts";
import { folded } from "../../src/paths/glob.ts";
import { type Draws, UnsyncedNames } from "./unsynced-names.ts";

/** A file, under any number of names. */
export interface Inode {
  readonly ino: bigint;
  readonly birthNs: bigint;
  bytes: Uint8Array;
  mtimeNs: bigint;
  ctimeNs: bigint;
  mode: number;
  links: number;
  /** The number of writers that have it open. */
  writers: number;
  /** The time of the last reading by a program, as far as a mount with `relatime` keeps it; 0 for a file of the daemon. */
  atimeNs: bigint;
}

/**
 * A file before the first of its unsynced changes, undefined for a new one, and what follows when that was the only one
 * and is undone.
 */
interface Unsynced {
  readonly former: Inode | undefined;
  readonly undone: () => void;
}

interface DiskOptions {
  /**
   * The shortest time between two stamps, in nanoseconds. By default no two writes share a stamp; with a kernel's
   * ticks (some milliseconds) they may.
   */
  readonly tickNs?: bigint;
  /** True when the disk shows whether a program has read a file of the daemon. */
  readonly tellsReads?: boolean;
  /** The absolute path of the folder. */
  readonly root?: string;
  /** True when a power cut may also take away new files, and those that were written aside. */
  readonly losesNew?: boolean;
  /** True when names that differ in case or Unicode form only are one name, as on macOS. */
  readonly folds?: boolean;
  /** True when a power cut also undoes changes of names that nobody synced, and damages new files. */
  readonly losesNames?: boolean;
}

/** The states of an unsynced file after a power cut. */
const LEFT = ["whole", "cut short", "empty", "zeros", "as it was"] as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A file system in memory: names, inodes with link counts and nanosecond stamps, inode numbers used again as ext4 does.
 * It outlives the daemon's process. The first methods do the work of a kernel, the last ones that of people's programs.
 */
export class FakeDisk {
  readonly root: string;
  /** Called with the path at every change. */
  onChange: (path: string) => void = () => {};
  rootPresent = true;
  /** While true, the daemon's files cannot grow; people's programs still find space. */
  full = false;
  readonly tellsReads: boolean;
  readonly #clock: Clock;
  readonly #tick: bigint;
  readonly #losesNew: boolean;
  readonly #names = new Map<string, Inode>();
  /** The synced content of files with later unsynced writes; people's programs sync their writes. */
  readonly #unsynced = new Map<string, Unsynced>();
  /** On a disk that loses names, in place of the former. */
  readonly #unsyncedNames: UnsyncedNames | undefined;
  readonly #folders = new Set<string>([""]);
  /** The spelling of each name on a disk that folds names, by the folded name. */
  readonly #spellings: Map<string, string> | undefined;
  #freeInos: bigint[] = [];
  #lastIno = 100n;
  #stamps = 0n;

  constructor(clock: Clock, options: DiskOptions = {}) {
    this.root = options.root ?? "/work";
    this.#losesNew = options.losesNew ?? false;
    this.#spellings = options.folds ? new Map() : undefined;
    this.#clock = clock;
    this.#tick = options.tickNs ?? 1n;
    this.tellsReads = options.tellsReads ?? false;
    this.#unsyncedNames = options.losesNames ? new UnsyncedNames(this.#names, clock) : undefined;
  }

  inode(path: string): Inode | undefined {
    return this.#names.get(this.#spelled(path));
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  exists(path: string): boolean {
    return this.#names.has(this.#spelled(path)) || this.#folders.has(path);
  }

  /** Returns true unless the disk spells the file at a path in another way. */
  isSpelled(path: string): boolean {
    return this.#spelled(path) === path;
  }

  /** Returns a path as the disk spells the file that it names. Folders have one spelling each. */
  #spelled(path: string): string {
    return this.#spellings?.get(folded(path)) ?? path;
  }

  /** Names and folders directly in a folder, in name order. */
  entries(folder: string): string[] {
    const start = folder === "" ? "" : `${folder}/`;
    const all = [...this.#names.keys(), ...this.#folders].filter((path) => path !== "");
    const inside = all.filter((path) => path.startsWith(start) && !path.slice(start.length).includes("/"));
    return inside.map((path) => path.slice(start.length)).sort((a, b) => (a < b ? -1 : 1));
  }

  /** The paths of all files in a folder and its folders, in the order of their names. */
  paths(folder = ""): string[] {
    return this.entries(folder).flatMap((name) => {
      const path = folder === "" ? name : `${folder}/${name}`;
      return this.isFolder(path) ? this.paths(path) : [path];
    });
  }

  /** A new file that has no name yet. */
  make(bytes: Uint8Array, mode = 0o644): Inode {
    const now = this.#stamp();
    // A file whose removal a power cut undoes has its number again.
    const free = (this.#unsyncedNames?.isEmpty ?? true) ? this.#freeInos.pop() : undefined;
    const ino = free ?? ++this.#lastIno;
    const times = { mtimeNs: now, ctimeNs: now, birthNs: now, atimeNs: now };
    return { ino, bytes, ...times, mode, links: 0, writers: 0 };
  }

  /**
   * Gives a file a name; the file that had it before loses it in the same instant. `undone` is called if a power cut
   * undoes that.
   */
  name(path: string, inode: Inode, undone = () => {}): void {
    this.#unsyncedNames?.note([path], undone);
    this.#put(this.#spelled(path), inode);
  }

  #put(path: string, inode: Inode): void {
    const old = this.#names.get(path);
    if (old !== undefined) this.#unlink(old);
    inode.links++;
    inode.ctimeNs = this.#stamp();
    this.#names.set(path, inode);
    this.#spellings?.set(folded(path), path);
    this.#unsynced.delete(path);
    this.onChange(path);
  }

  /** Keeps a file beyond its last name, until the returned function is called. */
  hold(inode: Inode): () => void {
    inode.links++;
    return () => this.#unlink(inode);
  }

  unname(given: string): void {
    const path = this.#spelled(given);
    const inode = this.#names.get(path);
    if (inode === undefined) return;
    this.#unsyncedNames?.note([path], () => {});
    this.#names.delete(path);
    this.#spellings?.delete(folded(path));
    this.#unlink(inode);
    this.onChange(path);
  }

  /** Gives a file another name in one step, as rename(2) does. */
  move(given: string, to: string): void {
    const path = this.#spelled(given);
    const inode = this.#names.get(path);
    if (inode === undefined) throw new Error(`${path} is not there`);
    this.#unsyncedNames?.note([path, to], () => {});
    this.#names.delete(path);
    this.#spellings?.delete(folded(path));
    inode.links--;
    this.onChange(path);
    this.#put(this.#spelled(to), inode);
  }

  writeInto(inode: Inode, bytes: Uint8Array): void {
    inode.bytes = bytes;
    inode.mtimeNs = inode.ctimeNs = this.#stamp();
    for (const [path, at] of this.#names) {
      if (at !== inode) continue;
      this.#unsynced.delete(path);
      this.onChange(path);
    }
  }

  /** Makes a change of a file that a power cut may undo, or leave half done; `undone` is called if it undoes only this. */
  unsynced(given: string, write: () => void, undone = () => {}): void {
    const path = this.#spelled(given);
    if (this.#unsyncedNames !== undefined) {
      write();
      return;
    }
    const inode = this.#names.get(path);
    const earlier = this.#unsynced.get(path);
    const former = earlier === undefined ? inode && { ...inode } : earlier.former;
    write();
    if (former !== undefined || this.#losesNew)
      this.#unsynced.set(path, { former, undone: earlier === undefined ? undone : () => {} });
  }

  /** Gives a new file of the daemon its name, as `name` does. */
  nameNew(path: string, inode: Inode, undone: () => void): void {
    this.name(path, inode, undone);
    this.#unsyncedNames?.made(inode);
  }

  isSynced(path: string): boolean {
    return this.#unsyncedNames?.isSynced(path) ?? !this.#unsynced.has(path);
  }

  synced(path: string): void {
    this.#unsynced.delete(path);
  }

  /** Writes some of the unsynced files to the disk, as the system does after a while. */
  writeBack(random: Draws): void {
    for (const path of [...this.#unsynced.keys()]) if (random.chance(0.5)) this.#unsynced.delete(path);
  }

  /** Notes that a file was synced, which may have another name by now, and then the folder of a path. */
  syncedNames(path: string, inode: Inode | undefined): void {
    this.#unsyncedNames?.synced(path, inode);
  }

  /** Cuts the power. Files keep their stamps, because no process wrote to them. */
  powerCut(random: Draws): void {
    for (const [path, { former, undone }] of [...this.#unsynced]) {
      const inode = this.#names.get(path);
      if (inode === undefined) continue;
      const { bytes } = inode;
      const left = random.pick(LEFT);
      if (left === "cut short") inode.bytes = bytes.slice(0, random.int(bytes.length));
      if (left === "empty") inode.bytes = bytes.slice(0, 0);
      if (left === "zeros") inode.bytes = new Uint8Array(bytes.length);
      if (left === "as it was") {
        if (former === undefined) this.#names.delete(path);
        else this.#names.set(path, { ...former, links: inode.links, writers: 0 });
        // What was written aside before may be gone, too.
        if (!this.#losesNew || random.chance(0.5)) undone();
      }
      if (left !== "whole") this.onChange(path);
    }
    this.#unsynced.clear();
    if (this.#unsyncedNames === undefined) return;
    this.#unsyncedNames.cut(random);
    for (const path of this.#names.keys()) this.#makeParents(path);
  }

  makeFolder(path: string): void {
    this.#folders.add(path);
  }

  /** Removes an empty folder; returns false for one that is not. */
  removeFolder(path: string): boolean {
    return this.entries(path).length === 0 && this.#folders.delete(path);
  }

  /** Frees the inode number of a file without a name that no process has open. */
  #unlink(inode: Inode): void {
    inode.links--;
    inode.ctimeNs = this.#stamp();
    if (inode.links === 0) this.#freeInos.push(inode.ino);
  }

  #stamp(): bigint {
    const now = BigInt(this.#clock.now()) * 1_000_000n;
    if (this.#tick > 1n) return now - (now % this.#tick);
    // The count never starts again: after the clock was set back, the same millisecond comes again.
    this.#stamps = (this.#stamps + 1n) % 1_000_000n;
    return now + this.#stamps;
  }

  // The work of people's programs.

  /** Returns the file's text, and leaves no trace of the reading. */
  text(path: string): string | undefined {
    const inode = this.inode(path);
    return inode && decoder.decode(inode.bytes);
  }

  /** Reads the file. */
  read(path: string): string | undefined {
    const inode = this.inode(path);
    const isOlder = (inode: Inode) => inode.atimeNs <= inode.mtimeNs || inode.atimeNs <= inode.ctimeNs;
    if (inode !== undefined && isOlder(inode)) inode.atimeNs = this.#stamp();
    return this.text(path);
  }

  /** Truncates and writes in one go, or makes the file. */
  write(path: string, content: string | Uint8Array): void {
    const inode = this.inode(path);
    if (inode === undefined) this.save(path, content);
    else this.writeInto(inode, bytesOf(content));
  }

  remove(path: string): void {
    this.unname(path);
  }

  /** Writes aside, then renames over the file. */
  save(path: string, content: string | Uint8Array): void {
    this.#makeParents(path);
    const mode = this.inode(path)?.mode;
    const inode = this.make(bytesOf(content), mode);
    this.name(path, inode);
    this.syncedNames(path, inode);
  }

  /** Truncates the file and writes only the first `bytes`; the returned function writes all, to the same file. */
  tear(path: string, text: string, bytes: number): () => void {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new Error(`${path} is not there`);
    const all = encoder.encode(text);
    const close = this.openForWriting(path);
    this.writeInto(inode, all.subarray(0, bytes));
    return () => {
      this.writeInto(inode, all);
      close();
    };
  }

  /** Opens the file for writing; the returned function closes it. */
  openForWriting(path: string): () => void {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new Error(`${path} is not there`);
    inode.writers++;
    return () => {
      inode.writers--;
    };
  }

  isOpenForWriting(path: string): boolean {
    return (this.#names.get(path)?.writers ?? 0) > 0;
  }

  append(path: string, text: string): void {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new Error(`${path} is not there`);
    this.writeInto(inode, Buffer.concat([inode.bytes, encoder.encode(text)]));
  }

  touch(path: string): void {
    const inode = this.#names.get(path);
    if (inode !== undefined) this.writeInto(inode, inode.bytes);
  }

  chmod(path: string, mode: number): void {
    const inode = this.#names.get(path);
    if (inode === undefined) return;
    inode.mode = mode;
    inode.ctimeNs = this.#stamp();
    this.onChange(path);
  }

  hardLink(path: string, to: string): void {
    const inode = this.#names.get(path);
    if (inode !== undefined) this.name(to, inode);
  }

  #makeParents(path: string): void {
    const parts = path.split("/").slice(0, -1);
    for (let i = 1; i <= parts.length; i++) this.#folders.add(parts.slice(0, i).join("/"));
  }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? encoder.encode(content) : content;
}

export function imageOfInode(inode: Inode): Image {
  const { ino, mtimeNs, ctimeNs, birthNs, mode, links, bytes } = inode;
  return { dev: 1n, ino, size: bytes.length, mtimeNs, ctimeNs, birthNs, mode, uid: 0, gid: 0, links };
}
