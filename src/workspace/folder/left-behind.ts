import { type Files, isFileProblem, type LeftBehind, type NotedSwap } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { type DocumentRecord, storeFailure } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import { isSave } from "../access/actor.ts";
import {
  type DisplacedSave,
  displacedSave,
  displacedShelf,
  type NotedBefore,
} from "../document/displaced-save.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { textOf } from "../saves/save-evidence.ts";
import type { VersionHistory } from "../versions/version-history.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Clears the staging folder after a start, and gives documents the files that earlier processes displaced. A save that
 * none of them had seen is noted before the store gets anything else: later records replace the note of its swap.
 */
export function inheritLeft(workspace: Workspace, known: readonly DocumentRecord[]): Promise<unknown>[] {
  const { store, files } = workspace.ports;
  const noted = [...store.shelf(displacedShelf)];
  const displaced = new Map(noted.map((save) => [save.by, save]));
  for (const record of known) {
    const save = displacedBy(record);
    if (save !== undefined && !displaced.has(save.by)) displaced.set(save.by, save);
  }
  // The staged versions as recorded now: a later record may be lost in a crash, and the one before it must still
  // identify its version.
  const swaps = [...displaced.values()].map(
    ({ by, swap }): NotedSwap => ({ staged: by, expected: swap?.expected }),
  );
  const records = new Map(known.map((record) => [record.id, record]));
  const left = files.clearLeftBehind(swaps, workspace.limits.maxFileBytes).filter((one) => {
    if (!isInPlace(files, records.get(one.docId), one)) return true;
    one.file.discard();
    return false;
  });
  const there = new Set(left.map(({ by }) => by));
  const gone = noted.filter(({ by }) => !there.has(by));
  const unseen = left.flatMap(({ by, isUnseen }) => (by && isUnseen ? displaced.get(by)! : []));
  const notes = [
    ...gone.map(({ by }) => ({ shelf: displacedShelf, id: by, record: null })),
    ...unseen.map(displacedSave),
  ];
  if (notes.length > 0) void storeFailure(store.shelve(...notes));
  return left.map((one) => inherit(workspace, one, one.by === undefined ? undefined : displaced.get(one.by)));
}

/**
 * Returns true for a left file that is the document's file still: without an exchange of names, a swap links the file
 * first, and a process that ended before the swap left only the link.
 */
function isInPlace(
  files: Files,
  record: DocumentRecord | undefined,
  { reading: { image } }: LeftBehind,
): boolean {
  const seen = record && files.look(record.path as DocPath);
  return seen !== undefined && !isFileProblem(seen) && seen.ino === image.ino && seen.dev === image.dev;
}

/** Returns the note of the last swap of a document's file, with what it was to replace unless that is known to be done. */
function displacedBy({ id, staged, landed, image }: DocumentRecord): DisplacedSave | undefined {
  if (staged === undefined) return undefined;
  const isOpen = landed < staged.seq && image !== undefined;
  const swap = isOpen ? { expected: image, landed, seq: staged.seq } : undefined;
  return { docId: id, by: staged.id, ...(swap && { swap }) };
}

/** Makes a document watch the file that an earlier process replaced, and merge it if that process had not seen it. */
async function inherit(workspace: Workspace, left: LeftBehind, save?: DisplacedSave): Promise<void> {
  const { docId } = left;
  const swap = left.isUnseen ? save?.swap : undefined;
  if (swap !== undefined)
    return workspace.withLoaded(docId, ({ mirror, versions }) => {
      const { ino, mtimeNs } = left.reading.image;
      const message = `takes in a save that came as the daemon ended (file ${ino}, ${mtimeNs})`;
      mirror.inheritUnseen(left, textBefore(versions, swap), { by: left.by!, message });
    });
  const document = await workspace.openedById(docId);
  if (document === undefined) left.file.discard();
  else if (!isRefusal(document)) document.mirror.inherit(left); // after a refusal, the next process finds the file
}

/** Returns the text that the file held before a swap that was noted: that of the last save before it, or of `landed`. */
function textBefore(versions: VersionHistory, { landed, seq: last }: NotedBefore): Text | undefined {
  for (let seq = last; seq > landed; seq--) {
    const change = versions.change(seq);
    if (change !== undefined && isSave(change)) return textOf(versions, { seq, isAlone: true });
  }
  return versions.textAt(landed);
}
