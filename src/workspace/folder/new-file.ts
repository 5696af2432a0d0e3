import { type FileProblem, type Files, type Image, isFileProblem, type Staged } from "../../mirror/files.ts";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";

/** Stages a new file, and creates the folders that it needs. */
export async function stageNewFile(files: Files, path: DocPath, content: Decoded): Promise<Outcome<Staged>> {
  const problem = files.makeFolders(path);
  if (problem !== undefined) return placeRefusal(files, path, problem);
  const staged = await files.stage(encode(content), undefined);
  return isFileProblem(staged) ? fileRefusal(staged) : staged;
}

/** Writes a new file, never over another one, and creates the folders that it needs. */
export async function placeNewFile(files: Files, path: DocPath, content: Decoded): Promise<Outcome<Image>> {
  const staged = await stageNewFile(files, path, content);
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
