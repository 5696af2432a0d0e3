import { type Image, sameContentStamp } from "../mirror/files.ts";
import type { DocPath } from "../mirror/path.ts";
import type { Shelved } from "../store/shelf.ts";
import { type Store, storeFailure } from "../store/store.ts";
import { type LaneFileRecord, type LaneFileStatus, shelvedFile, unshelvedFile } from "./record.ts";

/** Owns the records of a lane's files, in memory and in the store. */
export class LaneFiles {
  readonly #store: Store;
  readonly #byPath = new Map<DocPath, LaneFileRecord>();
  readonly #byDoc = new Map<string, DocPath>();
  readonly #byInode = new Map<string, DocPath>();
  /** Notes that the store must have before any later record of a file, and is not known to have. */
  #owed: readonly Shelved[] = [];

  constructor(store: Store, files: readonly LaneFileRecord[]) {
    this.#store = store;
    for (const record of files) this.note(record);
  }

  get size(): number {
    return this.#byPath.size;
  }

  get(path: DocPath): LaneFileRecord | undefined {
    return this.#byPath.get(path);
  }

  all(): Iterable<LaneFileRecord> {
    return this.#byPath.values();
  }

  /** Returns the records with a status. */
  with(status: LaneFileStatus): readonly LaneFileRecord[] {
    return [...this.#byPath.values()].filter((record) => record.status === status);
  }

  /** Returns the record of a document's file. */
  ofDocument(docId: string): LaneFileRecord | undefined {
    const path = this.#byDoc.get(docId);
    const record = path === undefined ? undefined : this.#byPath.get(path);
    return record?.docId === docId ? record : undefined;
  }

  /**
   * Returns the former path of a file that is now at `to`, as its inode tells. If the file has other text, its document
   * must have this path: a process that died may have renamed the file, and not noted it.
   */
  movedTo(to: DocPath, image: Image): DocPath | undefined {
    const path = this.#byInode.get(inodeOf(image));
    const record = path === undefined ? undefined : this.#byPath.get(path);
    if (record?.image === undefined) return undefined;
    return sameContentStamp(record.image, image) || this.#isAt(to, record) ? path : undefined;
  }

  #isAt(path: DocPath, { docId }: LaneFileRecord): boolean {
    return docId !== undefined && this.#store.document(docId)?.path === path;
  }

  /** Stores a record, in place of the one at `before`. @throws StoreError */
  put(record: LaneFileRecord, before: DocPath = record.path): Promise<void> {
    const { lane, path } = record;
    if (before !== path) this.#byPath.delete(before);
    this.note(record);
    const gone = before === path ? [] : [unshelvedFile({ lane, path: before })];
    return this.#shelve(...gone, shelvedFile(record));
  }

  /** Stores notes before any later record of a file. What a full store refuses, it gets with the next record. */
  async storeFirst(notes: readonly Shelved[]): Promise<void> {
    this.#owed = notes;
    await storeFailure(this.#shelve());
  }

  /** Returns what the store must get when an edit stores the record of its file. */
  stored(record: LaneFileRecord): readonly Shelved[] {
    return [...this.#owed, shelvedFile(record)];
  }

  /** @throws StoreError */
  async remove(path: DocPath): Promise<void> {
    const record = this.#byPath.get(path);
    if (record === undefined) return;
    this.#byPath.delete(path);
    await this.#shelve(unshelvedFile(record));
  }

  async #shelve(...records: readonly Shelved[]): Promise<void> {
    const owed = this.#owed;
    await this.#store.shelve(...owed, ...records);
    if (this.#owed === owed) this.#owed = [];
  }

  /** Changes a record in memory: the store may have a newer one, which an edit brought. */
  note(record: LaneFileRecord): void {
    const { path, docId, image } = record;
    this.#byPath.set(path, record);
    if (docId !== undefined) this.#byDoc.set(docId, path);
    if (image !== undefined) this.#byInode.set(inodeOf(image), path);
  }
}

function inodeOf({ dev, ino }: Image): string {
  return `${dev}:${ino}`;
}
