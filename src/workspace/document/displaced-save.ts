import type { Image, StagedId } from "../../mirror/files.ts";
import { type Shelved, shelfOf } from "../../store/shelf.ts";
import type { Seq } from "../../store/store.ts";

/**
 * A save that a swap displaced as its daemon died. The note stays as long as the displaced file, whatever else the record
 * of the document's file says by then: the next daemon may die, too, before it has taken the save in.
 */
export interface DisplacedSave {
  readonly docId: string;
  /** The version that displaced the save. */
  readonly by: StagedId;
  /** The swap as the record of the file had it; absent once the document has taken the save in. */
  readonly swap?: NotedBefore;
}

/** The file that a swap was to replace, the last change in it, and the last change of the staged version. */
export interface NotedBefore {
  readonly expected: Image;
  readonly landed: Seq;
  readonly seq: Seq;
}

export const displacedShelf = shelfOf<DisplacedSave>("displaced");

/** Returns the record of a displaced save that is to be taken in. */
export function displacedSave(record: DisplacedSave): Shelved {
  return { shelf: displacedShelf, id: record.by, record };
}

/** Returns the record that a document has taken in the save that a version displaced. */
export function takenIn(docId: string, by: StagedId): Shelved {
  return displacedSave({ docId, by });
}
