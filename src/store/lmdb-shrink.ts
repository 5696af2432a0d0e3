import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import type { Databases } from "./lmdb-environment.ts";
import { DATABASE_FILE, sealAlone, sealBeside } from "./provenance.ts";

/** A file is worth a copy when at least so many bytes of it are free, and half of it; bytes. */
const WORTH = 4 << 20;
/** The largest contents that are copied, because the end of the daemon waits for the copy; bytes. */
const LARGEST = 256 << 20;

/**
 * Closes an environment without writes under way. LMDB's file never shrinks by itself, so a dense copy takes the place of
 * a file that is mostly free. Where the copy cannot be made, as on a full disk, the file stays as it is.
 */
export async function closeShrunk(env: RootDatabase, databases: Databases, folder: string): Promise<void> {
  const isCopied = isWasteful(databases, folder) && (await copyDense(env, folder));
  await env.close();
  if (isCopied) replaceByCopy(folder);
  removeCopy(folder);
}

/** Removes the copy that a process left which ended before it had replaced the database. */
export function removeCopy(folder: string): void {
  rmSync(copyIn(folder), { recursive: true, force: true });
}

/** Makes a durable copy without free pages beside the database; false where the system refuses that. */
export async function copyDense(env: RootDatabase, folder: string): Promise<boolean> {
  try {
    removeCopy(folder);
    mkdirSync(copyIn(folder), { mode: 0o700 });
    await env.backup(copyIn(folder), true);
    flush(join(copyIn(folder), DATABASE_FILE));
    return true;
  } catch {
    return false;
  }
}

/**
 * Puts the copy in place of the closed database. The seal names both meanwhile, because a process can end before or
 * after the rename.
 */
export function replaceByCopy(folder: string): void {
  const copy = join(copyIn(folder), DATABASE_FILE);
  sealBeside(folder, copy);
  renameSync(copy, join(folder, DATABASE_FILE));
  flush(folder);
  sealAlone(folder);
}

function copyIn(folder: string): string {
  return join(folder, "dense");
}

function isWasteful(databases: Databases, folder: string): boolean {
  const file = statSync(join(folder, DATABASE_FILE), { throwIfNoEntry: false });
  if (file === undefined) return false;
  const used = bytesIn(databases);
  return used <= LARGEST && file.size - used >= Math.max(WORTH, used);
}

/** Returns the bytes of all pages that the databases use. */
function bytesIn(databases: Databases): number {
  return Object.values(databases).reduce((sum, database) => {
    const stats = database.getStats() as Record<
      "pageSize" | "treeBranchPageCount" | "treeLeafPageCount" | "overflowPages",
      number
    >;
    const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
    return sum + pages * stats.pageSize;
  }, 0);
}

function flush(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
