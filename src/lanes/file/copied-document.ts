import { createHash } from "node:crypto";
import { type Files, type Image, isFileProblem } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord, Store } from "../../store/store.ts";
import type { LaneFiles } from "../records/lane-files.ts";
import type { LaneFileRecord } from "../records/record.ts";

const NS_PER_MS = 1_000_000n;

/** Returns true for the record of a file that the lane copied from the workspace, and has not compared with a document. */
export function isCopy({ seq, status, image, made = false }: LaneFileRecord): boolean {
  return seq === undefined && status === "live" && image !== undefined && !made;
}

/** Returns true for the record of a file that the agent made, and that no document has yet. */
export function isMade(record: LaneFileRecord): boolean {
  return record.seq === undefined && !isCopy(record);
}

/** Returns the image of a copy that still has the bytes of the workspace's file; undefined for any other file. */
export async function imageOfCopy(
  files: Files,
  record: LaneFileRecord,
  maxBytes: number,
): Promise<Image | undefined> {
  if (!isCopy(record) || record.sha256 === undefined) return undefined;
  const read = await files.read(record.path, maxBytes);
  if (isFileProblem(read)) return undefined;
  const sha256 = createHash("sha256").update(read.bytes).digest("hex");
  return sha256 === record.sha256 ? read.image : undefined;
}

/**
 * Returns the document of a lane's file, also of a copy: others may have renamed its document before the lane knew the
 * document's id.
 */
export function storedDocument(store: Store, record: LaneFileRecord): DocumentRecord | undefined {
  const { path, docId, image } = record;
  if (docId !== undefined) return store.document(docId);
  const there = store.documentAt(path);
  if (there !== undefined || !isCopy(record) || store.baselines.at(path) !== undefined) return there;
  return renamedFrom(store, path, image!.ctimeNs / NS_PER_MS);
}

/** Returns the record of the copy whose document others renamed before the lane knew the document's id. */
export function copyOf(
  known: Pick<LaneFiles, "get">,
  store: Store,
  docId: string,
): LaneFileRecord | undefined {
  for (const { file } of store.changes(docId)) {
    const record = file?.kind === "rename" ? known.get(file.from as DocPath) : undefined;
    const isUnnamed = record !== undefined && record.docId === undefined && isCopy(record);
    if (isUnnamed && storedDocument(store, record)?.id === docId) return record;
  }
  return undefined;
}

/** Returns the document that was renamed last from a path, no earlier than `since`, in milliseconds since the epoch. */
function renamedFrom(store: Store, path: string, since: bigint): DocumentRecord | undefined {
  let found: { readonly document: DocumentRecord; readonly time: number } | undefined;
  for (const document of store.documents())
    for (const { file, time } of store.changes(document.id)) {
      if (time < since) break;
      if (file?.kind === "rename" && file.from === path && time >= (found?.time ?? 0))
        found = { document, time };
    }
  return found?.document;
}
