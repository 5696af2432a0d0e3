import {
  close,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { O_PATH } from "../../system/files.ts";
import { openFileLimit } from "../../system/process.ts";
import type { Image, Readings, ReadWatch } from "../files.ts";
import { forget } from "./replace.ts";
import { stampWritten } from "./stat.ts";

const NS_PER_S = 1_000_000_000n;
/** File systems of this machine, by their number in statfs(2). On a network, another machine's readings leave no trace. */
const LOCAL = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0x01021994, // tmpfs
  0x794c7630, // overlay
]);

/** The largest share of the process's descriptors for watches of readings. */
const WATCHED_SHARE = 1 / 8;

/** Owns the watches of files for readings by other processes. Each watch has a descriptor, so their number is bounded. */
export class ReadWatches {
  /** True when the system shows whether a file on the device of these watches was read. */
  readonly tellsReads: boolean;
  readonly #most = Math.floor(openFileLimit() * WATCHED_SHARE);
  #watched = 0;
  /** The watches, by the inode of their version. */
  readonly #byInode = new Map<bigint, Set<InodeWatch>>();

  constructor(folder: string) {
    this.tellsReads = tellsReads(folder);
  }

  /** Watches a file; undefined where a reading would leave no trace, and while too many others are watched. */
  watch(file: string, image: Image): ReadWatch | undefined {
    if (!this.tellsReads || this.#watched >= this.#most) return undefined;
    const watch = watchUnread(file, image);
    if (watch === undefined) return undefined;
    this.#watched++;
    const alike = this.#byInode.get(image.ino) ?? new Set();
    this.#byInode.set(image.ino, alike.add(watch));
    const close = () => {
      this.#watched--;
      alike.delete(watch);
      if (alike.size === 0) this.#byInode.delete(image.ino);
      watch.close();
    };
    return { readings: watch.readings, close };
  }

  /** Notes a look at a file, which may show that another program has written over a watched version. */
  looked({ ino, mtimeNs }: Image): void {
    for (const watch of this.#byInode.get(ino) ?? []) if (watch.mtimeNs !== mtimeNs) watch.readings();
  }
}

/** The watch of a version with this time of its last write. */
interface InodeWatch extends ReadWatch {
  readonly mtimeNs: bigint;
}

/**
 * Watches a file that `stampWritten` marked as unread; returns undefined if another process may have read it. The
 * handle preserves the inode, so that the watch also reports readings before a replacement. @throws the system's error
 */
function watchUnread(file: string, { ino, mtimeNs }: Image): InodeWatch | undefined {
  const fd = openSync(file, O_PATH | constants.O_NOFOLLOW);
  const unread = (mtimeNs / NS_PER_S - 1n) * NS_PER_S;
  /** The readings of a version that another program has overwritten: later ones are of its own text. */
  let last: Readings | undefined;
  const readings = (): Readings => {
    if (last !== undefined) return last;
    const now = fstatSync(fd, { bigint: true });
    const isOverwritten = now.mtimeNs !== mtimeNs;
    const found = readingsIn(now, unread, isOverwritten);
    if (isOverwritten) last = found;
    return found;
  };
  if (fstatSync(fd, { bigint: true }).ino === ino && readings() === "none")
    return { mtimeNs, readings, close: () => close(fd) }; // later, because the system then removes a replaced file: 2 ms
  closeSync(fd);
  return undefined;
}

/** Tells the readings of a version by the stamps of its file; `unread` is the time of access that nobody moved. */
function readingsIn(
  { atimeNs, mtimeNs }: { readonly atimeNs: bigint; readonly mtimeNs: bigint },
  unread: bigint,
  isOverwritten: boolean,
): Readings {
  if (atimeNs === unread) return "none";
  // A program that wrote in place may have read its own text since then, within the same tick of the clock.
  return isOverwritten && atimeNs >= mtimeNs ? "unclear" : "some";
}

/** Returns true if, in a trial, a reading moves the access time of a file in a folder. */
export function tellsReads(folder: string): boolean {
  if (process.platform !== "linux" || !LOCAL.has(statfsSync(folder).type >>> 0)) return false;
  const probe = join(folder, "probe-read");
  forget(probe);
  try {
    // The flag wx follows no link and writes to no file that was placed under this name.
    writeFileSync(probe, "read me", { flag: "wx" });
    const fd = openSync(probe, constants.O_RDONLY);
    try {
      stampWritten(fd, undefined);
      const before = fstatSync(fd, { bigint: true }).atimeNs;
      readFileSync(fd);
      return fstatSync(fd, { bigint: true }).atimeNs !== before;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false; // without a trial, a reading may leave no trace
  } finally {
    forget(probe);
  }
}
