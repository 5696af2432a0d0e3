import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { STATE_FOLDER } from "../../state/folder.ts";
import type { FileProblem } from "../files.ts";
import { isFileProblem } from "../files.ts";
import type { DocPath } from "../path.ts";
import type { Beneath } from "./beneath.ts";

/**
 * Returns true where a file system takes names that differ in case only for one, as on macOS: the state folder of a
 * workspace is there under another name, too.
 */
export function foldsNames(root: string): boolean {
  const inodeOf = (name: string) => lstatSync(join(root, name), { throwIfNoEntry: false })?.ino;
  const ino = inodeOf(STATE_FOLDER);
  return ino !== undefined && ino === inodeOf(STATE_FOLDER.toUpperCase());
}

/**
 * Returns the problem of a path whose file has another spelling on a disk that folds names: there is no file of this name.
 * So a change of case is a rename as on any other disk, and no file is two documents. A name has one spelling in all
 * Unicode forms, because some disks change the form.
 */
export function otherSpelling(beneath: Beneath, path: DocPath): FileProblem | undefined {
  const parts = path.split("/");
  for (const [i, part] of parts.entries()) {
    const names = beneath.within(parts.slice(0, i + 1).join("/") as DocPath, (at) =>
      readdirSync(dirname(at)),
    );
    if (isFileProblem(names)) return names;
    const name = part.normalize("NFC");
    if (!names.some((one) => one.normalize("NFC") === name))
      return { kind: "missing", message: `${path}: no such file` };
  }
  return undefined;
}
