import { type BigIntStats, lstatSync } from "node:fs";
import { folderLook, type LookAt } from "../../system/files.ts";
import type { Image } from "../files.ts";
import { regular } from "./stat.ts";

/** The kind of a name in a folder: a folder, a regular file, or another kind. */
export type Found = "folder" | Image | "other";

/** Looks at the names in a folder; undefined for a file that is gone, or that may not be looked at. */
export type LookInside = (name: string) => Found | undefined;

const TYPE = 0o170000;
const FOLDER = 0o040000;
const FILE = 0o100000;
const PERMISSIONS = 0o7777;
const NS_PER_S = 1_000_000_000n;
/** The errors of a file in a folder whose names may be listed but whose files may not be looked at. */
const CLOSED = new Set(["EACCES", "EPERM"]);
/** The errors of a file that is gone. */
const GONE = new Set(["ENOENT", "ENOTDIR"]);

/** Makes looks into a folder: `fd` is its descriptor where the system has one, `at` a name of it. */
export function looksInside(): (at: string, fd: number | undefined) => LookInside {
  const look = folderLook();
  return (at, fd) => (look === undefined || fd === undefined ? lookByName(at) : lookByDescriptor(look, fd));
}

function lookByName(at: string): LookInside {
  return (name) => {
    const stats = statsOf(`${at}/${name}`);
    return stats && (stats.isDirectory() ? "folder" : stats.isFile() ? regular(stats) : "other");
  };
}

function statsOf(file: string): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (CLOSED.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function lookByDescriptor(look: LookAt, fd: number): LookInside {
  const deviceOf = devices();
  return (name) => {
    const found = look(fd, name);
    if (typeof found === "string") {
      if (CLOSED.has(found) || GONE.has(found)) return undefined;
      throw Object.assign(new Error(`${found}: statx`), { code: found });
    }
    const mode = found.getUint16(28, true);
    if ((mode & TYPE) !== FILE) return (mode & TYPE) === FOLDER ? "folder" : "other";
    return {
      dev: deviceOf(found.getUint32(136, true), found.getUint32(140, true)),
      ino: found.getBigUint64(32, true),
      size: Number(found.getBigUint64(40, true)),
      mtimeNs: timeAt(found, 112),
      ctimeNs: timeAt(found, 96),
      mode: mode & PERMISSIONS,
      uid: found.getUint32(20, true),
      gid: found.getUint32(24, true),
      links: found.getUint32(16, true),
      birthNs: timeAt(found, 80),
    };
  };
}

function timeAt(found: DataView, at: number): bigint {
  return found.getBigInt64(at, true) * NS_PER_S + BigInt(found.getUint32(at + 8, true));
}

/** Returns a function for the number of a device as stat(2) has it; it remembers the last one. */
function devices(): (major: number, minor: number) => bigint {
  let last: { readonly major: number; readonly minor: number; readonly dev: bigint } | undefined;
  return (major, minor) => {
    if (last?.major === major && last.minor === minor) return last.dev;
    const [high, low] = [BigInt(major), BigInt(minor)];
    const dev = ((high & ~0xfffn) << 32n) | ((high & 0xfffn) << 8n) | ((low & ~0xffn) << 12n) | (low & 0xffn);
    last = { major, minor, dev };
    return dev;
  };
}
