import type { Image, StagedId } from "../../mirror/files.ts";
import type { DocPath } from "../../mirror/path.ts";
import {
  type DocumentRecord,
  type Seq,
  type Store,
  type StoreError,
  storeFailure,
} from "../../store/store.ts";

/**
 * Owns the record of a document's file. The daemon uses a fact at once, and stores it once every change behind it is
 * durable. A stored fact about a lost save would let the daemon write over that save.
 */
export class FileRecord {
  readonly #store: Store;
  readonly #noted: () => Promise<StoreError | undefined> | undefined;
  #record: DocumentRecord;
  #storable: DocumentRecord;
  /** The facts of `seen` since the store last had every change behind them, which is once `durable` resolves. */
  #unkept: { readonly facts: Partial<DocumentRecord>; readonly durable: Promise<void> } | undefined;
  /** As `durable`, of facts that the store was given together with a save. */
  #ahead: Promise<void> | undefined;
  /** The record as the store has it. */
  #stored: DocumentRecord;
  /** The image in the last record that was given to the store. */
  #given: Image | undefined;
  #saved: boolean;
  #saving: Promise<void> | undefined;
  /** True once the store was given a record with an event of the file, since a staged version was. */
  #isPlaced = false;
  /** The reason why the store last refused a staged version. */
  #refused: unknown;

  /** `noted` stores what the next record replaces; it returns undefined if that is stored, or resolves with the failure. */
  constructor(
    store: Store,
    record: DocumentRecord,
    noted: () => Promise<StoreError | undefined> | undefined = () => undefined,
  ) {
    this.#store = store;
    this.#noted = noted;
    this.#record = record;
    this.#storable = record;
    this.#stored = record;
    this.#given = record.image;
    const stored = store.document(record.id);
    this.#saved = stored === undefined || stored.path === record.path; // the store may have refused a move of the file
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

  /** Records facts that need no change to be durable first. */
  update(fields: Partial<DocumentRecord>): void {
    this.#record = { ...this.#record, ...fields };
    this.#storable = { ...this.#storable, ...fields };
    this.#saved = false;
  }

  /** Records the present place of the file; the store gets it once `durable` has settled. */
  moved(path: DocPath, durable: Promise<void>): void {
    this.#record = { ...this.#record, path };
    const store = () => this.update({ path: this.path });
    durable.then(store, store);
  }

  /**
   * Records that there is a file, and its image; the store gets that once `durable` resolves, at once: a file that is
   * moved after a crash is known by it. If the store refuses it, it gets it with the next record.
   */
  seen(fields: Partial<DocumentRecord> & { readonly image: Image }, durable: Promise<void>): void {
    const { deletedAt: _now, ...record } = this.#record;
    this.#record = { ...record, ...fields };
    const unkept = { facts: { ...this.#unkept?.facts, ...fields }, durable };
    this.#unkept = unkept;
    const store = () => {
      if (this.#unkept === unkept) this.#unkept = undefined;
      if (this.#ahead === durable) this.#ahead = undefined;
      if (this.deleted) return; // the document was deleted meanwhile
      const { deletedAt: _then, ...storable } = this.#storable;
      this.#storable = { ...storable, ...fields };
      this.#saved = false;
      if (this.#given !== fields.image) void storeFailure(this.save());
    };
    durable.then(store, () => undefined); // the store refused the change, and keeps the record that it has
  }

  /**
   * Records that the file holds every change up to `landed`, or does so after a power cut (`synced`). The store gets
   * that once `durable` resolves; at once where the file was never synced: it would not count as deleted if it were gone.
   */
  holds(fields: Partial<Pick<DocumentRecord, "landed" | "synced">>, durable: Promise<void>): void {
    const isFirst = fields.synced !== undefined && this.#record.synced === undefined;
    this.#record = { ...this.#record, ...fields };
    const { landed = 0 } = fields;
    const store = () => {
      const { synced, ...held } = fields;
      const outlasts = synced !== undefined && !this.deleted;
      const highest = Math.max(landed, this.#storable.landed);
      this.#storable = { ...this.#storable, ...held, landed: highest, ...(outlasts && { synced }) };
      this.#saved = false;
      if (isFirst) void storeFailure(this.save());
    };
    durable.then(store, () => undefined); // the store refused the change, and keeps the record that it has
  }

  /** The last change that the store has as one that the file holds even after a power cut; -1 for none. */
  get synced(): Seq {
    return this.#stored.synced ?? -1;
  }

  /**
   * Returns the record to store with an event of the file, as later records: where the file is, or that there is none.
   * It lacks a staged version that is still being stored, because the store may refuse that one. Of a record that no
   * other may replace yet, it changes the place alone. `isKept`: the store has every change once it has this record,
   * which then has what was last seen of the file.
   */
  place(isKept: boolean): DocumentRecord {
    this.#isPlaced = true;
    const { deletedAt: _then, ...storable } = this.#storable;
    const { path, deletedAt } = this.#record;
    const place = { path, ...(deletedAt !== undefined && { deletedAt }) };
    this.#storable = { ...storable, ...place };
    if (this.#noted() === undefined) {
      const whole = { ...this.#storable, ...(isKept && this.#unkept?.facts) };
      this.#given = whole.image;
      return stagedAs(this.#stored, whole);
    }
    const { deletedAt: _stored, ...stored } = this.#stored;
    return { ...stored, ...place };
  }

  /** As `place`, to be stored with a save: the file is known by it wherever it is moved. */
  saved(isKept: boolean): DocumentRecord | undefined {
    if (!isKept) return undefined;
    this.#ahead = this.#unkept?.durable;
    return this.place(true);
  }

  /** Records that the document has no file. One that it gets later is not synced. */
  markDeleted(now: number): void {
    const { image: _image, synced: _synced, ...record } = this.#record;
    const { image: _stored, synced: _then, ...storable } = this.#storable;
    this.#record = { ...record, deletedAt: now };
    this.#unkept = undefined;
    this.#storable = { ...storable, deletedAt: now };
    this.#saved = false;
  }

  /**
   * Records a staged version and stores the record. Another caller's save may have tried to store it and failed: then
   * the record lacks it. @throws StoreError
   */
  async stage(staged: NonNullable<DocumentRecord["staged"]>): Promise<void> {
    do {
      this.#isPlaced = false;
      this.update({ staged });
      await this.save();
    } while (this.#isPlaced && this.#stored.staged === staged); // an event may have been stored after it, without it
    if (this.#stored.staged !== staged) throw this.#refused;
  }

  /** Returns true when the store may have a note of a staged version, also after it refused a later record with it. */
  hasNote(id: StagedId): boolean {
    return this.#stored.staged?.id === id;
  }

  /** Stores the record, if it changed since; one save at a time. @throws StoreError when the store refuses it */
  async save(): Promise<void> {
    while (this.#saving !== undefined) await this.#saving.catch(() => undefined); // its own caller gets the error
    if (this.#saved) return;
    this.#saving = this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #save(): Promise<void> {
    const noting = this.#noted();
    const unnoted = noting && (await noting);
    // Without the facts that came with a save, this record would take them from the store.
    const unkept = this.#ahead && (await storeFailure(this.#ahead));
    const refused = unnoted ?? unkept;
    const record = this.#storable;
    this.#given = record.image;
    this.#saved = true;
    try {
      if (refused !== undefined) throw refused;
      await this.#store.saveDocument(record);
      this.#stored = record;
    } catch (error) {
      this.#saved = false;
      // The store has no record of this staged version, so no restart may conclude anything from it.
      if (this.#storable.staged === record.staged) {
        this.#refused = error;
        this.#record = stagedAs(this.#stored, this.#record);
        this.#storable = stagedAs(this.#stored, this.#storable);
      }
      throw error;
    }
  }
}

/** Returns a record with the staged version of another one. */
function stagedAs({ staged }: DocumentRecord, record: DocumentRecord): DocumentRecord {
  const { staged: _staged, ...rest } = record;
  return staged === undefined ? rest : { ...rest, staged };
}

/** Returns the path under which a document without a file is stored while its own path belongs to another. */
export function pathWithout(path: DocPath, docId: string): DocPath {
  return `${path} (${docId})` as DocPath;
}
