import type { Database, RootDatabase } from "lmdb";
import { CheckedEncoder } from "./checked-encoder.ts";
import { LmdbAnswers } from "./lmdb-answers.ts";
import { completeBaselines, LmdbBaselines } from "./lmdb-baselines.ts";
import { LmdbChanges } from "./lmdb-changes.ts";
import {
  type Databases,
  isReadable,
  OLDEST_SCHEMA,
  openDatabases,
  SCHEMA,
  withEnvironment,
} from "./lmdb-environment.ts";
import { LmdbWriter } from "./lmdb-writer.ts";
import { markClosed, markOpened } from "./mark.ts";
import type { Shelf, Shelved } from "./shelf.ts";
import { sizeAtMost } from "./size.ts";
import {
  type AnswerRecord,
  type Appended,
  type ChangeRecord,
  type DocumentRecord,
  type JournalEntry,
  type PeerRecord,
  type Seq,
  type SnapshotRecord,
  type Store,
  StoreError,
  type StoreTrouble,
} from "./store.ts";

/** The first schema with all that belongs to baselines. */
const COMPLETE = 6;
const LAST = Number.MAX_SAFE_INTEGER;
/** Sorts a shelf's name with it after every id on the shelf, and before the next shelf. */
const AFTER = "\t";

/**
 * Opens the store in `folder`, one LMDB environment, and marks it open.
 * @throws StoreError when it cannot be opened
 */
export function openLmdbStore(folder: string): Store {
  return withEnvironment(folder, (env, meta) => {
    const schema = meta.get("schema") ?? SCHEMA;
    if (!isReadable(schema)) throw new StoreError("failed", unreadable(schema));
    markOpened(folder);
    // One transaction creates all databases of a new store, because each commit waits for the disk.
    return env.transactionSync(() => {
      const before = meta.get("schema");
      if (before !== SCHEMA) meta.putSync("schema", SCHEMA);
      return new LmdbStore(env, meta, folder, before ?? SCHEMA);
    });
  });
}

function unreadable(schema: number): string {
  const version = schema > SCHEMA ? "a newer version of spliced" : "an early version of spliced";
  return `the store has schema ${schema}, written by ${version}; this version reads ${OLDEST_SCHEMA} to ${SCHEMA}. Start that version; the store is unchanged`;
}

/** Owns one LMDB environment: maps each call of the Store port to reads and to atomic writes of its databases. */
class LmdbStore implements Store {
  readonly #folder: string;
  readonly #env: RootDatabase;
  readonly #writer: LmdbWriter;
  readonly #db: Databases;
  readonly #changes: LmdbChanges;
  readonly #answers: LmdbAnswers;
  readonly baselines: LmdbBaselines;

  /** `before`: the schema of the version that wrote the store last; the caller has begun a transaction. */
  constructor(env: RootDatabase, meta: Database<number, string>, folder: string, before: number) {
    this.#folder = folder;
    this.#env = env;
    this.#writer = new LmdbWriter(folder, () => meta.put("probe", Date.now()));
    this.#db = openDatabases(env, new CheckedEncoder(() => this.#writer.damaged()));
    if (before < COMPLETE) completeBaselines(this.#db, meta);
    this.#changes = new LmdbChanges(this.#db);
    this.#answers = new LmdbAnswers(this.#db);
    this.baselines = new LmdbBaselines(this.#db, meta, this.#writer);
  }

  get trouble(): StoreTrouble | undefined {
    return this.#writer.trouble;
  }

  documents(): DocumentRecord[] {
    return [...this.#db.documents.getRange()].map(({ value }) => value);
  }

  document(id: string): DocumentRecord | undefined {
    return this.#db.documents.get(id);
  }

  documentAt(path: string): DocumentRecord | undefined {
    return this.#documentsAt(path)[0];
  }

  saveDocument(record: DocumentRecord): Promise<void> {
    return this.#writer.write(() => this.#putDocument(record));
  }

  create(record: DocumentRecord, snapshot: SnapshotRecord, first: ChangeRecord): Promise<void> {
    const written = this.#writer.write(
      () => [
        ...this.#putDocument(record),
        ...this.baselines.removal(record.path),
        this.#db.snapshots.put(record.id, snapshot),
        ...this.#changes.put(record.id, first),
      ],
      snapshot.bytes.length,
    );
    return written.finally(this.baselines.changed);
  }

  append(...parts: readonly Appended[]): Promise<void> {
    const written = this.#writer.write(
      () => parts.flatMap(({ id, entries }) => entries.flatMap((entry) => this.#putEntry(id, entry))),
      parts.reduce((sum, { entries }) => entries.reduce((own, entry) => own + sizeOf(entry), sum), 0),
    );
    for (const { entries } of parts)
      for (const { answer } of entries) if (answer !== undefined) this.#answers.follow(answer, written);
    return written;
  }

  async compact(id: string, snapshot: SnapshotRecord, keepFrom: Seq): Promise<void> {
    const folded = this.#db.updates.getKeys({ start: [id, 0], end: [id, snapshot.seq + 1] });
    await this.#writer.write(
      () => [
        this.#db.snapshots.put(id, snapshot),
        ...[...folded].map((key) => this.#db.updates.remove(key)),
        ...this.#changes.dropBefore(id, Math.min(keepFrom, snapshot.seq)),
      ],
      snapshot.bytes.length,
    );
    this.#changes.forget();
  }

  fold(id: string, runs: readonly (readonly ChangeRecord[])[]): Promise<void> {
    return this.#writer.write(() => this.#changes.fold(id, runs));
  }

  truncate(id: string, seq: Seq): Promise<void> {
    return this.#writer.write(() => [
      ...[...this.#db.updates.getKeys({ start: [id, seq], end: [id, LAST] })].map((key) =>
        this.#db.updates.remove(key),
      ),
      ...this.#changes.truncate(id, seq),
    ]);
  }

  snapshot(id: string): SnapshotRecord | undefined {
    return this.#db.snapshots.get(id);
  }

  journal(id: string): JournalEntry[] {
    const entries: JournalEntry[] = [];
    for (const { key, value } of this.#db.updates.getRange({
      start: [id, 0],
      end: [id, LAST],
    })) {
      const change = this.#changes.change(...key);
      if (change === undefined) throw this.#writer.damaged();
      entries.push({ change, updates: value });
    }
    return entries;
  }

  change(id: string, seq: Seq): ChangeRecord | undefined {
    return this.#changes.change(id, seq);
  }

  entry(id: string, seq: Seq): ChangeRecord | undefined {
    return this.#changes.entry(id, seq);
  }

  oldest(id: string): ChangeRecord | undefined {
    return this.#changes.oldest(id);
  }

  changes(id: string, options: { before?: Seq; limit?: number } = {}): Iterable<ChangeRecord> {
    return this.#changes.entries(id, options);
  }

  unfolded(id: string, after: Seq, limit: number): ChangeRecord[] {
    return this.#changes.unfolded(id, after, limit);
  }

  folded(id: string): Seq | undefined {
    return this.#changes.folded(id);
  }

  find(changeId: string): { docId: string; seq: Seq } | undefined {
    return this.#changes.find(changeId);
  }

  answer(agent: string, opId: string): AnswerRecord | undefined {
    return this.#answers.get(agent, opId);
  }

  forgetAnswers(before: number, keep: number): Promise<void> {
    return this.#answers.forget(this.#writer, before, keep);
  }

  packAnswers(): Promise<void> {
    return this.#answers.pack(this.#writer);
  }

  shelve(...records: readonly Shelved[]): Promise<void> {
    return this.#writer.write(() => this.#putShelved(records), sizeAtMost(records));
  }

  shelved<T extends object>(shelf: Shelf<T>, id: string): T | undefined {
    return this.#db.shelves.get([shelf, id]) as T | undefined;
  }

  *shelf<T extends object>(shelf: Shelf<T>): Iterable<T> {
    for (const { value } of this.#db.shelves.getRange({ start: [shelf, ""], end: [shelf + AFTER] }))
      yield value as T;
  }

  savePeer(peer: string, author: PeerRecord): Promise<void> {
    return this.#writer.write(() => [this.#db.peers.put(peer, author)]);
  }

  peer(peer: string): PeerRecord | undefined {
    return this.#db.peers.get(peer);
  }

  /** Waits for the writes under way. While writes are refused it does not close LMDB, which would wait forever. */
  async close(): Promise<void> {
    this.#writer.stop();
    if (this.trouble === undefined) {
      await this.#env.close();
      markClosed(this.#folder);
    }
    this.#writer.close();
  }

  #putEntry(id: string, { change, updates, answer, shelved = [] }: JournalEntry): Promise<boolean>[] {
    return [
      this.#db.updates.put([id, change.seq], updates),
      ...this.#changes.put(id, change),
      ...(answer === undefined ? [] : this.#answers.put(answer)),
      ...this.#putShelved(shelved),
    ];
  }

  #putShelved(records: readonly Shelved[]): Promise<boolean>[] {
    return records.map(({ shelf, id, record }) =>
      record === null ? this.#db.shelves.remove([shelf, id]) : this.#db.shelves.put([shelf, id], record),
    );
  }

  #putDocument(record: DocumentRecord): Promise<boolean>[] {
    const { id, path } = record;
    const document = this.#db.documents.put(id, record);
    const before = this.#db.documents.get(id);
    if (before?.path === path && record.deletedAt === undefined) return [document];
    const left = this.baselines.inventoryRemoval(before?.path ?? path);
    if (before?.path === path) return [document, left];
    // The entry of its former path stays: a write for another document of that path may be under way.
    const others = this.#documentsAt(path).map((other) => other.id);
    return [document, left, this.#db.paths.put(path, [id, ...others])];
  }

  /** Returns the documents of a path, the newest first; all others are deleted. */
  #documentsAt(path: string): DocumentRecord[] {
    const ids = [this.#db.paths.get(path) ?? []].flat();
    return ids.flatMap((id) => this.#db.documents.get(id) ?? []).filter((record) => record.path === path);
  }
}

/** Estimates the size of an entry in the database, in bytes. */
function sizeOf({
  updates: { disk, memory },
  change: { splices, removed },
  shelved = [],
}: JournalEntry): number {
  const inserted = splices.reduce((sum, { insert }) => sum + insert.length, 0);
  const deleted = removed.reduce((sum, text) => sum + text.length, 0);
  return (disk?.length ?? 0) + (memory?.length ?? 0) + 3 * (inserted + deleted) + sizeAtMost(shelved);
}
