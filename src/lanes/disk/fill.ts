import { createHash } from "node:crypto";
import {
  type CopyOptions,
  constants,
  copyFileSync,
  type Dirent,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { copyFile, cp, lstat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { imageOf } from "../../mirror/disk/stat.ts";
import { isFileProblem, sameImage } from "../../mirror/files.ts";
import { type DocPath, pathInside } from "../../mirror/path.ts";
import { matcher } from "../../paths/glob.ts";
import type { IgnoreRules } from "../../paths/ignore-rules.ts";
import { pauses } from "../../work/pause.ts";
import type { Rights } from "../../workspace/access/rights.ts";
import type { LaneFileRecord } from "../records/record.ts";
import { makeFolderLike } from "./folder.ts";

/** A lane's share of the ignored files: copies of the names in `copy`, no file of `skip`, and links to all others. */
export interface IgnoredHere {
  readonly copy: readonly string[];
  readonly skip: readonly string[];
}

interface Filling {
  readonly root: string;
  readonly lane: string;
  readonly name: string;
  readonly ignored: IgnoreRules;
  readonly rights: Rights;
  readonly here: IgnoredHere;
  /** The largest file that can be a document. */
  readonly maxBytes: number;
}

/** Copies share the bytes with their originals, where the file system can do that. */
const SHARED = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

/**
 * Fills the folder of a lane. It copies files, which share their bytes where the file system can, and links ignored
 * files; other worktrees of git stay out. It copies links as links and never follows them. Yields a record of each file
 * that the agent may read.
 */
export async function* fill(filling: Filling): AsyncGenerator<LaneFileRecord> {
  filling.ignored.refresh();
  const isCopied = anyOf(filling.here.copy);
  const isSkipped = anyOf(filling.here.skip);
  const pause = pauses();
  yield* inFolder("");

  async function* inFolder(folder: string): AsyncGenerator<LaneFileRecord> {
    const entries = ifThere(() => readdirSync(join(filling.root, folder), { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const rest = pause();
      if (rest !== undefined) await rest;
      const path = pathInside(folder, entry.name);
      if (path === undefined) continue; // reserved, or no name of a document
      const [from, to] = [join(filling.root, path), join(filling.lane, path)];
      const isFolder = entry.isDirectory();
      if (filling.rights.hidesFromAgent(path)) continue;
      if (filling.ignored.skips(path, isFolder)) await leftOut(entry, path, from, to);
      else if (entry.isSymbolicLink()) linked(from, to);
      else if (isFolder) {
        makeFolderLike(from, to);
        yield* inFolder(path);
      } else if (entry.isFile() && filling.rights.allows(path, "read")) {
        const record = await copied(path, from, to);
        if (record !== undefined) yield record;
      }
    }
  }

  async function leftOut(entry: Dirent, path: string, from: string, to: string): Promise<void> {
    if (isSkipped(path) || filling.ignored.ruleForFolder(path)?.by === "worktree") return;
    if (entry.isSymbolicLink()) linked(from, to);
    else if (isCopied(path)) await cp(from, to, COPY);
    else if (entry.isDirectory() || entry.isFile()) symlinkSync(from, to);
  }

  function linked(from: string, to: string): void {
    const target = ifThere(() => targetOf(from, filling.root));
    if (target !== undefined) symlinkSync(target, to);
  }

  async function copied(path: DocPath, from: string, to: string): Promise<LaneFileRecord | undefined> {
    const before = ifThere(() => lookAt(from));
    if (before === undefined || isFileProblem(before)) return undefined;
    const isLarge = before.size > filling.maxBytes;
    try {
      if (isLarge) await copyFile(from, to, SHARED);
      else copyFileSync(from, to, SHARED);
      // Another program may have put a link or another file there meanwhile; a later look finds it.
      const after = lookAt(from);
      const image = lookAt(to);
      if (isFileProblem(after) || isFileProblem(image) || !sameImage(before, after)) return undefined;
      const sha256 = isLarge ? undefined : createHash("sha256").update(readFileSync(to)).digest("hex");
      return { lane: filling.name, path, status: "live", sha256, image };
    } catch (error) {
      if (isVanished(error)) return undefined;
      throw error;
    }
  }
}

/** Copies a folder without what is no file, such as a socket. */
const COPY: CopyOptions = {
  recursive: true,
  mode: SHARED,
  verbatimSymlinks: true,
  filter: async (from) => {
    const stats = await lstat(from);
    return stats.isDirectory() || stats.isFile() || stats.isSymbolicLink();
  },
};

/** The system's errors for a file that is gone, or that this user may not read. */
const VANISHED = new Set(["ENOENT", "EACCES", "ELOOP"]);

function isVanished(error: unknown): boolean {
  return VANISHED.has((error as NodeJS.ErrnoException).code ?? "");
}

/** Returns what a look at the workspace finds; undefined where it is gone by now, or this user may not read it. */
function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isVanished(error)) return undefined;
    throw error;
  }
}

function lookAt(file: string) {
  return imageOf(lstatSync(file, { bigint: true }), file);
}

/** Returns the target of a link, from the lane: relative inside the workspace, otherwise absolute. */
function targetOf(link: string, root: string): string {
  const target = readlinkSync(link);
  if (isAbsolute(target)) return target;
  const found = resolve(link, "..", target);
  const inside = relative(root, found);
  return inside === ".." || inside.startsWith("../") ? found : target;
}

function anyOf(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map((glob) => matcher(glob));
  return (path) => tests.some((test) => test(path));
}
