import {
  type DocumentRecord,
  type Seq,
  type Store,
  type StoreError,
  storeFailure,
} from "../../store/store.ts";

/**
 * Takes changes that were refused back out of the store. Where the store refuses that, too, it is owed: the
 * document must not be opened on top of them. Knows, too, where files were moved when the store refused that.
 */
export class Rollbacks {
  readonly #store: Store;
  readonly #owed = new Map<string, Seq>();
  /** Where the files of documents were moved that the store knows at another path, for as long as it does. */
  readonly #moved = new Map<string, { readonly id: string; readonly from: string }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes back all changes of a document from `seq` on; answers why it cannot. */
  async from(docId: string, seq: Seq): Promise<StoreError | undefined> {
    const [newest] = this.#store.changes(docId, { limit: 1 });
    const kept = newest !== undefined && newest.seq >= seq;
    // On a full disk nothing is; of what a failed flush was to keep, something may still come to show.
    if (!kept && this.#store.trouble?.kind !== "failed") return undefined;
    this.#owed.set(docId, Math.min(seq, this.owed(docId)));
    return this.settle(docId);
  }

  /** Remembers where a document's file is, if the store refused to. */
  path({ id, path }: Pick<DocumentRecord, "id" | "path">): void {
    const stored = this.#store.document(id);
    if (stored !== undefined && stored.path !== path) this.#moved.set(path, { id, from: stored.path });
    else this.#moved.delete(path);
  }

  /** The document whose file is at a path, as the store has it or should. */
  documentAt(path: string): DocumentRecord | undefined {
    const stored = this.#store.documentAt(path);
    const moved = this.#moved.get(path);
    const there = stored === undefined && moved !== undefined ? this.#store.document(moved.id) : undefined;
    return there !== undefined && there.path === moved?.from ? { ...there, path } : stored;
  }

  /** The first change of a document that is still to be taken back; infinite when there is none. */
  owed(docId: string): Seq {
    return this.#owed.get(docId) ?? Number.POSITIVE_INFINITY;
  }

  /** Tries again what is owed of a document; answers why it cannot be done. */
  async settle(docId: string): Promise<StoreError | undefined> {
    const seq = this.#owed.get(docId);
    if (seq === undefined) return undefined;
    const failure = await storeFailure(this.#store.truncate(docId, seq));
    if (failure === undefined) this.#owed.delete(docId);
    return failure;
  }
}
