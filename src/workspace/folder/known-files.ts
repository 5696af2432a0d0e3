import type { DocPath } from "../../mirror/path.ts";
import type { Store } from "../../store/store.ts";
import { everyBaseline } from "../cover/every-baseline.ts";

/** Counts the text files that the store knows, with a document or without. */
export async function countFiles(store: Store): Promise<number> {
  let count = store.documents().filter(({ deletedAt }) => deletedAt === undefined).length;
  for await (const { sha256 } of everyBaseline(store.baselines)) if (sha256 !== undefined) count++;
  return count;
}

/** Returns false for the path of a file that the store knows. */
export function isFreeIn(store: Store, path: string): boolean {
  const record = store.documentAt(path);
  return record === undefined ? store.baselines.at(path) === undefined : record.deletedAt !== undefined;
}

/** Returns the path under which a document without a file is stored while its own path belongs to another. */
export function pathWithout(path: DocPath, docId: string): DocPath {
  return `${path} (${docId})` as DocPath;
}
