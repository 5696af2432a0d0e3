import { type FileProblem, type Files, type Image, isFileProblem, type Staged } from "../mirror/files.ts";
import { encode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Document } from "../workspace/document/document.ts";
import { fileIdOf } from "./record.ts";

/**
 * Writes the file of a document to a lane, once the store has its whole text; never over another file. `noting` stores
 * which version is staged, and `undefined` after a refusal. @throws StoreError
 */
export async function placeFile(
  files: Files,
  lane: string,
  path: DocPath,
  document: Document,
  noting?: (staged: Staged | undefined) => Promise<void>,
): Promise<Image | FileProblem> {
  const { content } = document;
  await document.durable;
  const problem = files.makeFolders(path);
  if (problem !== undefined) return problem;
  const staged = await files.stage(encode(content), document.mirror.image, fileIdOf(lane, path));
  if (isFileProblem(staged)) return staged;
  await noting?.(staged);
  const image = staged.link(path);
  if (!isFileProblem(image)) return image;
  await noting?.(undefined); // first: a version that is not staged any more has taken its place
  staged.discard();
  return image;
}
