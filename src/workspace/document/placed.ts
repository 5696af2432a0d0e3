import { Pair } from "../../doc/pair.ts";
import { type Files, isFileProblem } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord, FileEvent, Seq, Store } from "../../store/store.ts";
import { isRefusal } from "../outcome/refusal.ts";
import type { Context } from "./context.ts";
import { readWholeFile } from "./read-whole-file.ts";
import { isUnsettled } from "./recovery.ts";

/**
 * Returns true for a document of another machine whose file a crash kept from its place: it is still in the staging folder,
 * and the file in its place is another one. A file with the same text is its own, because an earlier start may have made it.
 */
export async function isUnplaced(context: Context, record: DocumentRecord): Promise<boolean> {
  const { files, store } = context.ports;
  const { staged, deletedAt, landed } = record;
  const path = record.path as DocPath;
  // A received document's first version counts as landed before it is in its place, and a restored one may.
  if (deletedAt === undefined || staged?.seq !== landed || !files.isStaged(staged.id)) return false;
  const seen = files.look(path);
  if (isFileProblem(seen) || seen.ino === staged.image.ino || hadFile(store, record, staged.seq))
    return false;
  const file = await readWholeFile(context, path);
  return isRefusal(file) || !hasText(store, record, file.content);
}

/**
 * Returns true for a document with a file of its own, which a crash kept from its record: one that was deleted here, or
 * that got its file after a version was staged in vain.
 */
function hadFile(store: Store, { id }: DocumentRecord, staged: Seq): boolean {
  const [head] = store.changes(id, { limit: 1 });
  return head?.file?.kind === "delete" || hasSince(store, id, staged, "create");
}

/**
 * Returns the path where the missing file of a document is now that is about to be loaded: somebody moved it since it came
 * to its place, or a power cut gave it a former name back, and may have damaged it.
 */
export async function whereItIs(
  { ports: { store, files }, movedTo }: Context,
  record: DocumentRecord,
): Promise<DocPath | undefined> {
  const { deletedAt, staged, image, path } = record;
  const isSought = deletedAt === undefined ? isUnsettled(record) : wasPlaced(store, files, record);
  if (!isSought || !isMissing(files, path as DocPath)) return undefined;
  const images = [staged?.image, image].filter((one) => one !== undefined);
  return images.length > 0 ? movedTo(record, images) : undefined;
}

/** Returns true if the history of a document has such an event of its file after a change. */
function hasSince(
  store: Pick<Store, "changes">,
  docId: string,
  after: Seq,
  kind: FileEvent["kind"],
): boolean {
  for (const { seq, file } of store.changes(docId)) {
    if (seq <= after) break;
    if (file?.kind === kind) return true;
  }
  return false;
}

/** Returns true if a content is the first version of a received document. */
function hasText(store: Store, { id, bom }: DocumentRecord, content: Decoded): boolean {
  const snapshot = store.snapshot(id);
  if (snapshot === undefined || bom !== content.bom) return false;
  const pair = Pair.restore(snapshot, [], snapshot.seq);
  const isSame = pair.memory.equals(content.text);
  pair.close();
  return isSame;
}

/** A record of a document without a file, of which a version was staged. */
type Placed = DocumentRecord & Required<Pick<DocumentRecord, "staged">>;

/**
 * Returns true for a document whose file came to its place, received or restored, and whose record a crash kept from
 * showing that. A power cut may have taken the file since.
 */
export function wasPlaced(
  store: Pick<Store, "changes">,
  files: Pick<Files, "isStaged">,
  record: DocumentRecord,
): record is Placed {
  const { id, deletedAt, staged } = record;
  if (deletedAt === undefined || staged === undefined || files.isStaged(staged.id)) return false;
  return !hasSince(store, id, staged.seq, "delete");
}
