import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { progress } from "./progress.ts";

const FILES_A_FOLDER = 100;

/** Creates small files three folders deep, a hundred a folder. */
export async function makeTree(root: string, files: number): Promise<void> {
  for (let n = 0; n < files; n += FILES_A_FOLDER) {
    const folder = n / FILES_A_FOLDER;
    const at = join(
      root,
      `a${Math.floor(folder / 100)}`,
      `b${Math.floor(folder / 10) % 10}`,
      `c${folder % 10}`,
    );
    mkdirSync(at, { recursive: true });
    for (let i = n; i < Math.min(files, n + FILES_A_FOLDER); i++)
      writeFileSync(join(at, `file-${i}.ts`), `export const n${i} = ${i};\n`);
    progress(`making ${files} files: ${n}`);
    await setImmediate();
  }
}
