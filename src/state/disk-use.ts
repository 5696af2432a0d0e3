import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The unit in which systems count the blocks of a file, whose holes take none; bytes. */
const BLOCK = 512;

/** Returns the bytes that a folder and all below it occupy on the disk. What vanishes meanwhile has no size. */
export function diskUse(folder: string): number {
  return entriesOf(folder).reduce((bytes, entry) => {
    const at = join(folder, entry.name);
    const inside = entry.isDirectory() ? diskUse(at) : 0;
    return bytes + inside + (lstatSync(at, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK;
  }, 0);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
