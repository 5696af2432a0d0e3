import { type Files, isFileProblem } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";

/** Returns true where a look finds no file. */
export function isMissing(files: Files, path: DocPath): boolean {
  const there = files.look(path);
  return isFileProblem(there) && there.kind === "missing";
}
