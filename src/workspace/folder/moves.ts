import { type Files, type Image, sameContentStamp } from "../../mirror/files.ts";
import { isMissing } from "../../mirror/is-missing.ts";
import type { DocPath } from "../../mirror/path.ts";
import { shelfOf } from "../../store/shelf.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import type { Document } from "../document/document.ts";
import { wasPlaced } from "../document/placed.ts";

/** A document whose file the daemon renames. */
interface Move {
  readonly id: string;
  readonly to: string;
}

/** The newest changes among which a rename is looked for that a crash left without the document's new path. */
const NEWEST = 100;

const moveShelf = shelfOf<Move>("moves");

/**
 * Notes the renames of files that the daemon makes, before it makes them. After a crash in between, the store has a
 * document's former path, and perhaps older stamps than the file. The note has the place of the file.
 */
export class Moves {
  readonly #store: Store;
  readonly #files: Pick<Files, "look" | "isStaged">;
  /** The noted places by document, since the store was first asked: a pass asks about each file that it reads. */
  #noted: Map<string, string> | undefined;

  constructor(store: Store, files: Pick<Files, "look" | "isStaged">) {
    this.#store = store;
    this.#files = files;
  }

  /** Notes that a document's file is about to be renamed. A store that refuses the note delays no rename (DC13). */
  async begin(id: string, to: DocPath): Promise<void> {
    this.#places.set(id, to);
    await storeFailure(this.#store.shelve({ shelf: moveShelf, id, record: { id, to } }));
  }

  /** Drops the note of a document whose path is stored. One that stays has no effect there. */
  end(id: string): void {
    if (!this.#places.delete(id)) return;
    void storeFailure(this.#store.shelve({ shelf: moveShelf, id, record: null }));
  }

  /** Returns where the missing file of a document at a path was being renamed to. */
  to(id: string, path: DocPath): DocPath | undefined {
    const to = this.#places.get(id);
    return to === path ? undefined : (to as DocPath | undefined);
  }

  /** Yields the stored paths of documents whose files were being renamed. */
  *underWay(): Iterable<DocPath> {
    for (const [id, to] of this.#places) {
      const path = this.#store.document(id)?.path;
      if (path !== undefined && path !== to) yield path as DocPath;
    }
  }

  /** Returns the stored path of the document whose file was being renamed to a path, if its file is missing. */
  from(to: DocPath): DocPath | undefined {
    for (const [id, place] of this.#places) {
      if (place !== to) continue;
      const record = this.#store.document(id);
      if (record === undefined || record.path === to) continue;
      if (record.deletedAt !== undefined && !wasPlaced(this.#store, this.#files, record)) continue;
      if (isMissing(this.#files, record.path as DocPath)) return record.path as DocPath;
    }
    return undefined;
  }

  get #places(): Map<string, string> {
    this.#noted ??= new Map([...this.#store.shelf(moveShelf)].map(({ id, to }) => [id, to]));
    return this.#noted;
  }
}

/** True for a move that the history has already: its newest event of the file. */
export function isTold({ path, head, versions }: Document, to: DocPath): boolean {
  for (let { seq } = head; seq > 0 && seq > head.seq - NEWEST; seq--) {
    const file = versions.change(seq)?.file;
    if (file !== undefined) return file.kind === "rename" && file.from === path && file.to === to;
  }
  return false;
}

/**
 * Returns the image that a document records for its moved file, which is `image` now: a save since the last read is still
 * to be merged. A deleted document records none, because it has read nothing of the file.
 */
export function knownAs({ mirror }: Document, image: Image): Image | undefined {
  return mirror.image !== undefined && sameContentStamp(mirror.image, image) ? image : mirror.image;
}
