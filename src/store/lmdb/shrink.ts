import { mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { checkOwn } from "../../state/own.ts";
import type { Databases } from "./environment.ts";
import type { Opened } from "./opened.ts";
import { DATABASE_FILE, sealAlone, sealBeside } from "./provenance.ts";

/** A file is worth a copy when at least so many bytes of it are free, and half of it; bytes. */
const WORTH = 1 << 20;
/** The largest contents that are copied, because the end of the daemon waits for the copy; bytes. */
const LARGEST = 256 << 20;
/** The file of LMDB's locks, which belongs to one database file. */
const LOCK_FILE = "lock.mdb";

/**
 * Closes an environment without writes under way. LMDB's file never shrinks by itself, so a dense copy takes the place of
 * a file that is mostly free. Where the copy cannot be made, as on a full disk, the file stays as it is.
 */
export async function closeShrunk(opened: Opened): Promise<void> {
  const { env, folder } = opened;
  const isCopied = usedOfWasteful(opened) !== undefined && (await copyDense(env, folder));
  await opened.close();
  if (isCopied && tryRename(folder)) {
    // Both files have everything, so that either may be there after a power cut.
    await settleCopy(folder).catch(() => undefined);
    trySealAlone(folder);
  }
  tryRemove(folder);
}

/** Returns the bytes in use of a database that is worth a copy; undefined for any other. */
export function usedOfWasteful(opened: Opened): number | undefined {
  const file = statSync(join(opened.folder, DATABASE_FILE), { throwIfNoEntry: false });
  if (file === undefined || file.size < WORTH || !opened.isInPlace) return undefined;
  const used = bytesIn(opened.databases);
  return used <= LARGEST && file.size - used >= Math.max(WORTH, used) ? used : undefined;
}

/** Returns the folder of the copy. */
export function copyIn(folder: string): string {
  return join(folder, "dense");
}

/** Removes the copy that a process left which ended before it had replaced the database. */
export function removeCopy(folder: string): void {
  rmSync(copyIn(folder), { recursive: true, force: true });
}

/** Makes a durable copy without free pages beside the database; false where the system refuses that. */
export async function copyDense(env: Opened["env"], folder: string): Promise<boolean> {
  try {
    removeCopy(folder);
    mkdirSync(copyIn(folder), { mode: 0o700 });
    await env.backup(copyIn(folder), true);
    await flush(join(copyIn(folder), DATABASE_FILE));
    return true;
  } catch {
    return false;
  }
}

/**
 * Renames the copy to the database. The seal names both, because a process can end before or after that. @throws the
 * system's error, and then the database is as before
 */
export function renameCopy(folder: string): void {
  const copy = join(copyIn(folder), DATABASE_FILE);
  checkOwn(copy, "file");
  sealBeside(folder, copy);
  renameSync(copy, join(folder, DATABASE_FILE));
}

/** Makes the renamed copy durable, with its locks if it is open. Rejects with the system's error. */
export async function settleCopy(folder: string): Promise<void> {
  const locks = join(copyIn(folder), LOCK_FILE);
  if (statSync(locks, { throwIfNoEntry: false }) !== undefined) renameSync(locks, join(folder, LOCK_FILE));
  await flush(folder);
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

async function flush(path: string): Promise<void> {
  const file = await open(path);
  await file.sync().finally(() => file.close());
}

/** Removes what is left of a copy. Where the system refuses that, the next copy or the next start tries again. */
export function tryRemove(folder: string): void {
  try {
    removeCopy(folder);
  } catch {
    // A folder that nobody reads stays.
  }
}

/** Returns false where the system refuses the rename. */
export function tryRename(folder: string): boolean {
  try {
    renameCopy(folder);
    return true;
  } catch {
    trySealAlone(folder);
    return false;
  }
}

/** Where the system refuses the seal of the database alone, the earlier one stays, which names it too. */
export function trySealAlone(folder: string): void {
  try {
    sealAlone(folder);
  } catch {
    // The next copy tries again.
  }
}
