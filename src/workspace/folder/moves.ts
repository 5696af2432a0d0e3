import { type Files, isFileProblem } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import { shelfOf } from "../../store/shelf.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import type { Document } from "../document/document.ts";

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
  readonly #files: Pick<Files, "look">;

  constructor(store: Store, files: Pick<Files, "look">) {
    this.#store = store;
    this.#files = files;
  }

  /** Notes that a document's file is about to be renamed. A store that refuses the note delays no rename (DC13). */
  async begin(id: string, to: DocPath): Promise<void> {
    await storeFailure(this.#store.shelve({ shelf: moveShelf, id, record: { id, to } }));
  }

  /** Drops the note of a document whose path is stored. One that stays has no effect there. */
  end(id: string): void {
    if (this.#store.shelved(moveShelf, id) === undefined) return;
    void storeFailure(this.#store.shelve({ shelf: moveShelf, id, record: null }));
  }

  /** Returns where the missing file of a document at a path was being renamed to. */
  to(id: string, path: DocPath): DocPath | undefined {
    const move = this.#store.shelved(moveShelf, id);
    return move === undefined || move.to === path ? undefined : (move.to as DocPath);
  }

  /** Yields the stored paths of documents whose files were being renamed. */
  *underWay(): Iterable<DocPath> {
    for (const { id, to } of this.#store.shelf(moveShelf)) {
      const path = this.#store.document(id)?.path;
      if (path !== undefined && path !== to) yield path as DocPath;
    }
  }

  /** Returns the stored path of the document whose file was being renamed to a path, if its file is missing. */
  from(to: DocPath): DocPath | undefined {
    for (const move of this.#store.shelf(moveShelf)) {
      if (move.to !== to) continue;
      const record = this.#store.document(move.id);
      if (record === undefined || record.deletedAt !== undefined || record.path === to) continue;
      const seen = this.#files.look(record.path as DocPath);
      if (isFileProblem(seen) && seen.kind === "missing") return record.path as DocPath;
    }
    return undefined;
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
