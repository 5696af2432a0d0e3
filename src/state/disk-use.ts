import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The unit in which systems count the blocks of a file, whose holes take none; bytes. */
const BLOCK = 512;

/** Returns the bytes that a folder and all below it occupy on the disk. A file that vanishes meanwhile has no size. */
export function diskUse(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (bytes, { parentPath, name }) => {
      const stats = lstatSync(join(parentPath, name), { throwIfNoEntry: false });
      return bytes + (stats?.blocks ?? 0) * BLOCK;
    },
    0,
  );
}
