import type { Image } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import type { DocumentRecord, Store } from "../../store/store.ts";

/**
 * What is known of a document's file: for use here at once, for the store once everything that it rests on is
 * safe there. A note of a save whose change was lost would let the save be written over.
 */
export class FileRecord {
  readonly #store: Store;
  #record: DocumentRecord;
  #storable: DocumentRecord;
  /** As it is in the store. */
  #stored: DocumentRecord;
  #saved = true;
  #saving: Promise<void> | undefined;
  /** Why a staged version was last taken back. */
  #refused: unknown;

  constructor(store: Store, record: DocumentRecord) {
    this.#store = store;
    this.#record = record;
    this.#storable = record;
    this.#stored = record;
  }

  get current(): DocumentRecord {
    return this.#record;
  }

  get path(): DocPath {
    return this.#record.path as DocPath;
  }

  get deleted(): boolean {
    return this.#record.deletedAt !== undefined;
  }

  /** Notes what rests on nothing that is still on its way to the store. */
  update(fields: Partial<DocumentRecord>): void {
    this.#record = { ...this.#record, ...fields };
    this.#storable = { ...this.#storable, ...fields };
    this.#saved = false;
  }

  /** Notes that there is a file, and what it is; for the store once `durable` resolves. */
  seen(fields: Partial<DocumentRecord> & { readonly image: Image }, durable: Promise<void>): void {
    const { deletedAt: _now, ...record } = this.#record;
    this.#record = { ...record, ...fields };
    const store = () => {
      if (this.deleted) return; // by now
      const { deletedAt: _then, ...storable } = this.#storable;
      this.#storable = { ...storable, ...fields };
      this.#saved = false;
    };
    durable.then(store, () => undefined); // refused: the store goes on knowing what it knew
  }

  /** Notes that the document has no file any more. */
  markDeleted(now: number): void {
    const { image: _image, ...record } = this.#record;
    const { image: _stored, ...storable } = this.#storable;
    this.#record = { ...record, deletedAt: now };
    this.#storable = { ...storable, deletedAt: now };
    this.#saved = false;
  }

  /**
   * Notes a staged version, and stores that. Another caller's save may have tried to, and taken it back: what can be
   * stored then is not this. @throws StoreError
   */
  async stage(staged: NonNullable<DocumentRecord["staged"]>): Promise<void> {
    this.update({ staged });
    await this.save();
    if (this.#stored.staged !== staged) throw this.#refused;
  }

  /** Stores the notes, if they changed since; one save at a time. @throws StoreError when they cannot be */
  async save(): Promise<void> {
    while (this.#saving !== undefined) await this.#saving.catch(() => undefined); // said to who asked for it
    if (this.#saved) return;
    this.#saving = this.#save(this.#storable).finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #save(notes: DocumentRecord): Promise<void> {
    this.#saved = true;
    try {
      await this.#store.saveDocument(notes);
      this.#stored = notes;
    } catch (error) {
      this.#saved = false;
      // Nobody may ever tell by a staged version that the store was not told of: it will be gone.
      if (this.#storable.staged === notes.staged) {
        this.#refused = error;
        this.#record = stagedAs(this.#stored, this.#record);
        this.#storable = stagedAs(this.#stored, this.#storable);
      }
      throw error;
    }
  }
}

/** A record with the staged version of another one. */
function stagedAs({ staged }: DocumentRecord, record: DocumentRecord): DocumentRecord {
  const { staged: _staged, ...rest } = record;
  return staged === undefined ? rest : { ...rest, staged };
}
