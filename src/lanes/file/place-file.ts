import { type FileProblem, type Files, type Image, isFileProblem, type Staged } from "../../mirror/files.ts";
import { encode } from "../../mirror/format.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Document } from "../../workspace/document/document.ts";
import { fileIdOf } from "../records/record.ts";

/**
 * Writes the file of a document to a lane, once the store has its whole text; never over another file. `noting` stores
 * which version is staged, and `undefined` after a refusal. If it returns false, the file is not written, and the result
 * is undefined. @throws StoreError
 */
export async function placeFile(
  files: Files,
  lane: string,
  path: DocPath,
  document: Document,
  noting: (staged: Staged | undefined) => Promise<boolean>,
): Promise<Image | FileProblem | undefined> {
  const { content } = document;
  await document.durable;
  const problem = files.makeFolders(path);
  if (problem !== undefined) return problem;
  const staged = await files.stage(encode(content), document.mirror.image, fileIdOf(lane, path));
  if (isFileProblem(staged)) return staged;
  const image = (await noting(staged)) ? staged.link(path) : undefined;
  if (image !== undefined && !isFileProblem(image)) return image;
  await noting(undefined); // first: a version that is not staged any more has taken its place
  staged.discard();
  return image;
}
