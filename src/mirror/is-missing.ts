import { type Files, isFileProblem } from "./files.ts";
import type { DocPath } from "./path.ts";

/** Returns true where a look finds no file. */
export function isMissing(files: Pick<Files, "look">, path: DocPath): boolean {
  const there = files.look(path);
  return isFileProblem(there) && there.kind === "missing";
}
