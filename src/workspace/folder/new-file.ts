import { type Files, type Image, isFileProblem } from "../../mirror/files.ts";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Outcome } from "../outcome/refusal.ts";
import { fileRefusal } from "../outcome/refusals.ts";

/** Writes a new file, never over another one, and creates the folders that it needs. */
export async function placeNewFile(files: Files, path: DocPath, content: Decoded): Promise<Outcome<Image>> {
  const problem = files.makeFolders(path);
  if (problem !== undefined) return fileRefusal(problem);
  const staged = await files.stage(encode(content), undefined);
  if (isFileProblem(staged)) return fileRefusal(staged);
  const image = staged.link(path);
  return isFileProblem(image) ? fileRefusal(image) : image;
}
