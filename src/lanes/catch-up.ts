import type { DocPath } from "../mirror/path.ts";
import type { DocumentRecord, Store } from "../store/store.ts";
import { storedDocument } from "./file/copied-document.ts";
import type { LaneFile } from "./file/lane-file.ts";
import type { LaneFiles } from "./records/lane-files.ts";
import type { LaneFileRecord } from "./records/record.ts";

/** A file of a lane whose document differs from the lane's record of it, or that lacks text of the document. */
interface Behind {
  readonly record: LaneFileRecord;
  readonly stored: DocumentRecord;
  /** True when the document has changes that the lane does not know. */
  readonly isBehind: boolean;
  /** True for a file that still has the path that others renamed its document from. */
  readonly isLeft: boolean;
}

/**
 * Yields the files whose documents changed, moved or were deleted while the daemon was away, and files that an earlier
 * process had still to rename or to write.
 */
export function* behindIn(known: LaneFiles, store: Store): Iterable<Behind> {
  for (const record of known.all()) {
    const { path, seq, own, made } = record;
    if (made) continue; // the file is read as a new one
    const stored = storedDocument(store, record);
    if (stored === undefined) continue;
    const [head] = store.changes(stored.id, { limit: 1 });
    const isBehind = head !== undefined && head.seq !== seq;
    const isMoved = stored.path !== path;
    const isLeft = isMoved && !record.renamed && lastName(store, stored.id) === path;
    const isToGo = stored.deletedAt !== undefined; // a program may have had the file open until now
    if (isBehind || isMoved || isToGo || own !== undefined) yield { record, stored, isBehind, isLeft };
  }
}

/** Returns the path that a document was last renamed from. */
function lastName(store: Store, docId: string): string | undefined {
  for (const { file } of store.changes(docId)) if (file?.kind === "rename") return file.from;
  return undefined;
}

/** Brings a file up to its document. */
export async function catchUp(file: LaneFile, { record, stored, isBehind, isLeft }: Behind): Promise<void> {
  const { status, image, path, own } = record;
  const isLive = status === "live" && image !== undefined;
  if (isLive && stored.deletedAt !== undefined) return file.removed();
  const to = stored.path as DocPath;
  // If only one side has a rename, the side with the later change is the newer one.
  if (isLive && to !== path) await (isBehind || isLeft ? file.renamed(to) : file.moved(path, image));
  if (isBehind || own !== undefined) await file.follow();
}
