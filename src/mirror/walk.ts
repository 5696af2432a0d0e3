import { lstatSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Listed } from "./files.ts";
import { isPathProblem, parsePath } from "./path.ts";

/**
 * Regular files beneath a folder, each folder's own in name order. Links are left out (their targets, when
 * inside, come by themselves), and so are names that no document can have. What vanishes meanwhile, or may
 * not be read, is passed over.
 */
export async function* walkFiles(
  root: string,
  skip: (path: string) => boolean,
  folder = "",
): AsyncGenerator<Listed> {
  const entries = await readdir(join(root, folder), {
    withFileTypes: true,
  }).catch(unreadable);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = parsePath(folder === "" ? entry.name : `${folder}/${entry.name}`);
    if (isPathProblem(path) || skip(path)) continue;
    if (entry.isDirectory()) yield* walkFiles(root, skip, path);
    else if (entry.isFile()) {
      const stats = look(join(root, path));
      if (stats?.isFile()) yield { path, size: stats.size, mtimeMs: stats.mtimeMs };
    }
  }
}

/** A folder may be listed though what is in it may not be looked at. */
function look(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    unreadable(error as NodeJS.ErrnoException);
    return undefined;
  }
}

function unreadable(error: NodeJS.ErrnoException): [] {
  if (error.code !== undefined && ["EACCES", "EPERM", "ENOENT", "ENOTDIR"].includes(error.code)) return [];
  throw error;
}
