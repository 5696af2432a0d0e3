import { type FileProblem, type Files, type Image, isFileProblem } from "../mirror/files.ts";
import { encode } from "../mirror/format.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Document } from "../workspace/document/document.ts";
import { fileIdOf } from "./record.ts";

/** Writes the file of a document to a lane, once the store has its whole text; never over another file. */
export async function placeFile(
  files: Files,
  lane: string,
  path: DocPath,
  document: Document,
): Promise<Image | FileProblem> {
  const { content } = document;
  await document.durable;
  const problem = files.makeFolders(path);
  if (problem !== undefined) return problem;
  const staged = await files.stage(encode(content), document.mirror.image, fileIdOf(lane, path));
  if (isFileProblem(staged)) return staged;
  const image = staged.link(path);
  if (isFileProblem(image)) staged.discard();
  return image;
}
