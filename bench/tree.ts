import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { progress } from "./progress.ts";

const FILES_A_FOLDER = 100;

/** Returns the path of the `n`-th file of a tree: three folders deep, a hundred files a folder. */
export function pathOf(n: number): string {
  const folder = Math.floor(n / FILES_A_FOLDER);
  const folders = [`a${Math.floor(folder / 100)}`, `b${Math.floor(folder / 10) % 10}`, `c${folder % 10}`];
  return [...folders, `file-${n}.ts`].join("/");
}

/** Returns the paths of the files of a tree. */
export function pathsOf(files: number): readonly string[] {
  return Array.from({ length: files }, (_, n) => pathOf(n));
}

/** Creates a tree of small files. */
export async function makeTree(root: string, files: number): Promise<void> {
  for (let n = 0; n < files; n++) {
    const path = join(root, pathOf(n));
    if (n % FILES_A_FOLDER === 0) {
      mkdirSync(dirname(path), { recursive: true });
      progress(`making ${files} files: ${n}`);
      await setImmediate();
    }
    writeFileSync(path, `export const n${n} = ${n};\n`);
  }
}
