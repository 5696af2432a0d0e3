import { type Files, type Image, isFileProblem, type Staged } from "../../mirror/files.ts";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";

/** Stages a new file, and creates the folders that it needs. */
export async function stageNewFile(files: Files, path: DocPath, content: Decoded): Promise<Outcome<Staged>> {
  const problem = files.makeFolders(path);
  if (problem !== undefined) return fileRefusal(problem);
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
  return fileRefusal(image);
}
