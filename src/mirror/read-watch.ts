import { closeSync, constants, fstatSync, openSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { O_PATH } from "./beneath.ts";
import type { Image, Readings, ReadWatch } from "./files.ts";
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

/**
 * Watches a file that `stampWritten` marked as unread; undefined if another process may have read it. The handle keeps
 * the inode, so that this also tells of readings before a replacement. @throws the system's error
 */
export function watchReads(file: string, { ino, mtimeNs }: Image): ReadWatch | undefined {
  const fd = openSync(file, O_PATH | constants.O_NOFOLLOW);
  const unread = (mtimeNs / NS_PER_S - 1n) * NS_PER_S;
  const readings = (): Readings => {
    const now = fstatSync(fd, { bigint: true });
    if (now.atimeNs === unread) return "none";
    // A program that wrote in place may have read its own text back since; a tick of the clock holds both.
    return now.mtimeNs !== mtimeNs && now.atimeNs >= now.mtimeNs ? "unclear" : "some";
  };
  if (fstatSync(fd, { bigint: true }).ino === ino && readings() === "none")
    return { readings, close: () => closeSync(fd) };
  closeSync(fd);
  return undefined;
}

/** Finds out by a trial whether a reading moves the access time of a file in a folder. */
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
