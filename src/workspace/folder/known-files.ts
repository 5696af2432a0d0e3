import type { Image } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Store } from "../../store/store.ts";
import { everyBaseline } from "../cover/every-baseline.ts";
import { wasPlaced } from "../document/placed.ts";
import type { Ports } from "../ports.ts";

/** Yields the paths of the files that hold some text, as far as the store knows, with a document or without. */
export async function* knownFiles({ store, clock }: Pick<Ports, "store" | "clock">): AsyncGenerator<DocPath> {
  for (const { path, deletedAt, image } of store.documents())
    if (deletedAt === undefined && image?.size !== 0) yield path as DocPath;
  for await (const { path, sha256, image } of everyBaseline(store.baselines, clock))
    if (sha256 !== undefined && image.size !== 0) yield path as DocPath;
}

/** Returns false for the path of a file that the store knows. A document that it refused to begin has no text there. */
export function isFreeIn(store: Store, path: string): boolean {
  const record = store.documentAt(path);
  if (record === undefined) return store.baselines.at(path) === undefined;
  return record.deletedAt !== undefined || store.snapshot(record.id) === undefined;
}

/** Returns the file of a document that came to its place just before a crash, which its record does not show. */
export function placedFile(
  { store, files }: Pick<Ports, "store" | "files">,
  docId: string,
): { readonly path: DocPath; readonly image: Image } | undefined {
  const record = store.document(docId);
  if (record === undefined || !wasPlaced(store, files, record)) return undefined;
  return { path: record.path as DocPath, image: record.staged.image };
}
