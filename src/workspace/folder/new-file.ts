import { type FileProblem, type Files, type Image, isFileProblem, type Staged } from "../../mirror/files.ts";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Cause } from "../journal/change.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";

/** The content of a new file, why it is made, and the file whose mode and owner it gets. */
export type NewFile = [content: Decoded, cause?: Cause, like?: Image];

/** Stages a new file, with the mode and owner of `like`, and creates the folders that it needs. */
export async function stageNewFile(
  files: Files,
  path: DocPath,
  content: Decoded,
  like?: Image,
): Promise<Outcome<Staged>> {
  const problem = files.makeFolders(path);
  if (problem !== undefined) return placeRefusal(files, path, problem);
  const staged = await files.stage(encode(content), like);
  return isFileProblem(staged) ? fileRefusal(staged) : staged;
}

/** Writes a new file as `stageNewFile` stages it, never over another one. */
export async function placeNewFile(
  ...[files, path, ...file]: Parameters<typeof stageNewFile>
): Promise<Outcome<Image>> {
  const staged = await stageNewFile(files, path, ...file);
  if (isRefusal(staged)) return staged;
  const image = staged.link(path);
  if (!isFileProblem(image)) return image;
  staged.discard();
  return placeRefusal(files, path, image);
}

/**
 * Returns the refusal of a path at which no file can be made; names the folder or the file that is in the way. `taken` is
 * the refusal where a file is at the path.
 */
export function placeRefusal(
  files: Files,
  path: DocPath,
  problem: FileProblem,
  taken = fileRefusal(problem),
): Refusal {
  if (problem.kind === "exists") {
    const there = files.look(path);
    if (!isFileProblem(there)) return taken;
    if (there.kind === "missing") return fileRefusal(problem);
    return new Refusal("ALREADY_EXISTS", there.message, { suggestion: "Choose another path." });
  }
  const parts = path.split("/").slice(0, -1);
  const folders = parts.map((_, i) => parts.slice(0, i + 1).join("/") as DocPath);
  const file = problem.kind === "missing" && folders.find((folder) => !isFileProblem(files.look(folder)));
  if (!file) return fileRefusal(problem);
  return new Refusal("NOT_FOUND", `${file} is a file, so there is no ${path} in it`, {
    suggestion: "Choose another path: only folders contain files.",
  });
}
