import { type Image, sameFile } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { Shelved } from "../../store/shelf.ts";
import { type Store, storeFailure } from "../../store/store.ts";
import { PathIndex } from "./path-index.ts";
import { type LaneFileRecord, shelvedFile, unshelvedFile } from "./record.ts";

/** Owns the records of a lane's files, in memory and in the store. */
export class LaneFiles {
  readonly #store: Store;
  readonly #byPath = new Map<DocPath, LaneFileRecord>();
  readonly #byDoc = new PathIndex();
  readonly #byInode = new PathIndex();
  /** The stamps of files whose writes are being taken in: their records have older ones until then. */
  readonly #read = new Map<DocPath, Image>();
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

  /** Returns the record of a new file of the agent whose document is being made. */
  making(path: DocPath): LaneFileRecord | undefined {
    const record = this.get(path);
    return record?.made ? record : undefined;
  }

  all(): Iterable<LaneFileRecord> {
    return this.#byPath.values();
  }

  /** Returns the record of a document's file. */
  ofDocument(docId: string): LaneFileRecord | undefined {
    const path = this.#byDoc.pathOf(docId);
    const record = path === undefined ? undefined : this.#byPath.get(path);
    return record?.docId === docId ? record : undefined;
  }

  /** Returns the former path of a file that is now elsewhere: `image` is the file. */
  movedFrom(image: Image): DocPath | undefined {
    const path = this.#byInode.pathOf(inodeOf(image));
    if (path === undefined) return undefined;
    const known = [this.#byPath.get(path)?.image, this.#read.get(path)];
    return known.some((one) => one && sameFile(one, image)) ? path : undefined;
  }

  /** Notes the stamps of a file that the daemon has read, before its record has them. */
  read(path: DocPath, image: Image): void {
    this.#read.set(path, image);
    this.#index(path);
  }

  /** Returns true for a path where the lane had a file, also a new one that is still being taken in. */
  hadFile(path: DocPath): boolean {
    return this.#byPath.get(path)?.image !== undefined || this.#read.has(path);
  }

  /** Returns true for a path with a record, or with a new file that is still being taken in. */
  has(path: DocPath): boolean {
    return this.#byPath.has(path) || this.#read.has(path);
  }

  /** Stores a record, in place of the one at `before`. @throws StoreError */
  put(record: LaneFileRecord, before: DocPath = record.path): Promise<void> {
    const { lane, path } = record;
    const read = this.#read.get(before);
    if (before !== path) this.#drop(before);
    this.note(record);
    if (read !== undefined) this.read(path, read);
    const gone = before === path ? [] : [unshelvedFile({ lane, path: before })];
    return this.#shelve(...gone, shelvedFile(record));
  }

  /** Stores the record of a file that is about to come. Only the next process reads it. @throws StoreError */
  expect(record: LaneFileRecord): Promise<void> {
    return this.#shelve(shelvedFile(record));
  }

  /** Removes that record of a file that does not come, unless another file has its place. @throws StoreError */
  async unexpect(file: Pick<LaneFileRecord, "lane" | "path">): Promise<void> {
    if (!this.#byPath.has(file.path)) await this.#shelve(unshelvedFile(file));
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
    this.#drop(path);
    if (record === undefined) return;
    await this.#shelve(unshelvedFile(record));
  }

  #drop(path: DocPath): void {
    this.#byPath.delete(path);
    this.#read.delete(path);
    this.#index(path);
  }

  async #shelve(...records: readonly Shelved[]): Promise<void> {
    const owed = this.#owed;
    await this.#store.shelve(...owed, ...records);
    if (this.#owed === owed) this.#owed = [];
  }

  /** Changes a record in memory: the store may have a newer one, which an edit brought. */
  note(record: LaneFileRecord): void {
    this.#byPath.set(record.path, record);
    this.#index(record.path);
  }

  /** Finds the path by what its record says now, and no longer by what it said before. */
  #index(path: DocPath): void {
    const { docId, image } = this.#byPath.get(path) ?? {};
    this.#byDoc.note(path, docId === undefined ? [] : [docId]);
    const images = [image, this.#read.get(path)].filter((one) => one !== undefined);
    this.#byInode.note(path, [...new Set(images.map(inodeOf))]);
  }
}

function inodeOf({ dev, ino }: Image): string {
  return `${dev}:${ino}`;
}
