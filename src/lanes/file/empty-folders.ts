import type { Files } from "../../mirror/files.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import { type DocPath, folderOf } from "../../mirror/path.ts";

/** Removes the folders around a former path that are empty on one side, and that the other side does not have. */
export function removeEmptyFolders(side: Files, other: Files, path: DocPath): void {
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder as DocPath)) {
    const isKept = !isMissing(other, folder as DocPath);
    if (isKept || side.removeFolder(folder as DocPath) !== undefined) return;
  }
}
