import { type FileProblem, type Files, type Image, isFileProblem, type Staged } from "../../mirror/files.ts";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Cause } from "../journal/change.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";

/** Notes the file that is about to be made; with a refusal, it is not made. */
type Noting = (image: Image) => Promise<Refusal | undefined>;

/** The content of a new file, why it is made, the file whose mode and owner it gets, and who notes it. */
export type NewFile = [content: Decoded, cause?: Cause, like?: Image, noting?: Noting];

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
  files: Files,
  path: DocPath,
  content: Decoded,
  like?: Image,
  noting?: Noting,
): Promise<Outcome<Image>> {
  const staged = await stageNewFile(files, path, content, like);
  if (isRefusal(staged)) return staged;
  const image = (await noting?.(staged.image)) ?? staged.link(path);
  const isRefused = isRefusal(image);
  if (!isRefused && !isFileProblem(image)) return image;
  staged.discard();
  return isRefused ? image : placeRefusal(files, path, image);
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
