import {
  type DocumentRecord,
  type Seq,
  type Store,
  type StoreError,
  storeFailure,
} from "../../store/store.ts";

/**
 * Rolls refused changes back out of the store. A rollback that the store refuses is owed: the document must not be
 * opened before it is done. Also remembers moves of files that the store refused.
 */
export class Rollbacks {
  readonly #store: Store;
  readonly #owed = new Map<string, Seq>();
  /** The present paths of documents that the store still knows at an earlier path. */
  readonly #moved = new Map<string, { readonly id: string; readonly from: string }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Rolls back all changes of a document from `seq` on; returns why the store cannot. */
  async from(docId: string, seq: Seq): Promise<StoreError | undefined> {
    const [newest] = this.#store.changes(docId, { limit: 1 });
    const kept = newest !== undefined && newest.seq >= seq;
    // A full disk stores no part of a refused change; a failed flush may have stored a part.
    if (!kept && this.#store.trouble?.kind !== "failed") return undefined;
    this.#owed.set(docId, Math.min(seq, this.owed(docId)));
    return this.settle(docId);
  }

  /**
   * Takes back the later changes of a document that the store refused to begin, which a crash may have left; returns why
   * the store cannot. Another document with this id would have them.
   */
  async unbegun(docId: string): Promise<StoreError | undefined> {
    return this.#store.snapshot(docId) === undefined ? this.from(docId, 0) : undefined;
  }

  /** Remembers the path of a document that leaves memory, if the store refused it. */
  path({ id, path }: Pick<DocumentRecord, "id" | "path">): void {
    const stored = this.#store.document(id);
    this.forget(id);
    if (stored !== undefined && stored.path !== path) this.#moved.set(path, { id, from: stored.path });
    else this.#moved.delete(path);
  }

  /**
   * Forgets the path of a document that is in memory, which knows its path from then on, and may leave it; or whose path
   * the store has.
   */
  forget(docId: string): void {
    for (const [present, { id }] of this.#moved) if (id === docId) this.#moved.delete(present);
  }

  /** Returns the present path of the document that the store still has at a path; undefined for any other path. */
  movedFrom(path: string): string | undefined {
    const id = this.#store.documentAt(path)?.id;
    if (id === undefined) return undefined;
    for (const [present, { id: moved, from }] of this.#moved)
      if (moved === id && from === path) return present;
    return undefined;
  }

  /**
   * Returns the present path of a document that is not in memory; undefined for one that the store does not know. A path
   * that has become another document's is its path no more.
   */
  pathOf(docId: string): string | undefined {
    for (const [present, { id }] of this.#moved)
      if (id === docId && this.documentAt(present)?.id === id) return present;
    return this.#store.document(docId)?.path;
  }

  /** Returns the record of the document at a path, as the store has it or should have it. */
  documentAt(path: string): DocumentRecord | undefined {
    const stored = this.#store.documentAt(path);
    const moved = this.#moved.get(path);
    const there = stored === undefined && moved !== undefined ? this.#store.document(moved.id) : undefined;
    return there !== undefined && there.path === moved?.from ? { ...there, path } : stored;
  }

  /** Returns the first change of a document that is still to be rolled back; infinite when there is none. */
  owed(docId: string): Seq {
    return this.#owed.get(docId) ?? Number.POSITIVE_INFINITY;
  }

  /** Tries a document's owed rollback again; returns why the store cannot. */
  async settle(docId: string): Promise<StoreError | undefined> {
    const seq = this.#owed.get(docId);
    if (seq === undefined) return undefined;
    const failure = await storeFailure(this.#store.truncate(docId, seq));
    if (failure === undefined) this.#owed.delete(docId);
    return failure;
  }
}
