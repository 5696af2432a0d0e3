import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Database, RootDatabase } from "lmdb";
import type { Reached } from "../../mirror/step.ts";
import { CheckedEncoder } from "../format/checked-encoder.ts";
import { snapshotIn, storedSnapshot } from "../format/stored-snapshot.ts";
import { FrontLog } from "../log/front-log.ts";
import { readLog } from "../log/replay.ts";
import type { Shelf, Shelved } from "../shelf.ts";
import { entrySize, sizeAtMost } from "../size.ts";
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
} from "../store.ts";
import { LmdbAnswers } from "./answers.ts";
import { completeBaselines, LmdbBaselines } from "./baselines.ts";
import { Behind } from "./behind.ts";
import { LmdbChanges } from "./changes.ts";
import { LmdbDocuments } from "./documents.ts";
import {
  beginFreeList,
  DATABASE_ID,
  isReadable,
  openDatabases,
  SCHEMA,
  TAKEN,
  unreadable,
  withEnvironment,
} from "./environment.ts";
import { ignoreUnhandledCommits } from "./errors.ts";
import { GroupWriter } from "./group-writer.ts";
import { markClosed, markOpened } from "./mark.ts";
import { Opened } from "./opened.ts";
import { DATABASE_FILE } from "./provenance.ts";
import { LmdbShelves } from "./shelves.ts";
import { closeShrunk, removeCopy } from "./shrink.ts";
import { REST_MS, Shrinker } from "./shrinker.ts";
import { StoreHealth } from "./store-health.ts";
import type { TableRange } from "./table.ts";
import { commitTo, type Tables, tablesOf } from "./tables.ts";
import { type RecordWrite, unpackGroup } from "./write.ts";

const LAST = Number.MAX_SAFE_INTEGER;

/**
 * Opens the store in `folder`, one LMDB environment with its front log, and marks it open. Calls `reached` at the steps
 * of the front log, and of a database that shrinks once it rests for `restMs`. @throws StoreError when it cannot be opened
 */
export function openLmdbStore(folder: string, reached: Reached = () => {}, restMs = REST_MS): Store {
  return withEnvironment(folder, (env, meta) => {
    const schema = meta.get("schema") ?? SCHEMA;
    if (!isReadable(schema)) throw new StoreError("failed", unreadable(schema));
    markOpened(folder);
    removeCopy(folder);
    beginFreeList(env, meta);
    // One transaction creates all databases of a new store, because each commit waits for the disk.
    return env.transactionSync(() => {
      const before = meta.get("schema");
      if (before !== SCHEMA) meta.putSync("schema", SCHEMA);
      if (meta.get(DATABASE_ID) === undefined) meta.putSync(DATABASE_ID, randomBytes(6).readUIntBE(0, 6));
      return new LmdbStore({ env, meta, folder, before: before ?? SCHEMA, reached, restMs });
    });
  });
}

interface Opening {
  readonly env: RootDatabase;
  readonly meta: Database<number, string>;
  readonly folder: string;
  /** The schema of the version that wrote the store last. */
  readonly before: number;
  readonly reached: Reached;
  readonly restMs: number;
}

/** Owns one LMDB environment: maps each call of the Store port to reads and to atomic writes of its tables. */
class LmdbStore implements Store {
  readonly #opened: Opened;
  readonly #health: StoreHealth;
  readonly #writer: GroupWriter;
  readonly #shrinker: Shrinker;
  readonly #tables: Tables;
  readonly #documents: LmdbDocuments;
  readonly #changes: LmdbChanges;
  readonly #answers: LmdbAnswers;
  readonly #shelves: LmdbShelves;
  readonly #stopIgnoring = ignoreUnhandledCommits();
  #closing: Promise<void> | undefined;
  readonly baselines: LmdbBaselines;

  /** The caller has begun a transaction. */
  constructor({ env, meta, folder, before, reached, restMs }: Opening) {
    const behind = new Behind();
    const probe = () => this.#writer.write(() => [this.#tables.meta.put("probe", Date.now())]);
    const health = new StoreHealth(join(folder, DATABASE_FILE), probe, () => behind.bytes);
    const encoder = new CheckedEncoder(() => health.damaged());
    const opened = new Opened(folder, { env, databases: openDatabases(env, meta, encoder) });
    completeBaselines(opened.databases, meta, before);
    const replayed = readLog(folder, meta.get(DATABASE_ID)!, meta.get(TAKEN) ?? 0);
    for (const { seq, payload } of replayed.groups) behind.add(unpackGroup(payload), seq);
    const commit = (writes: readonly RecordWrite[], seq: number) => commitTo(opened.databases, writes, seq);
    const log = new FrontLog(folder, meta.get(DATABASE_ID)!, replayed, reached);
    this.#opened = opened;
    this.#health = health;
    this.#tables = tablesOf(opened, encoder, behind);
    this.#writer = new GroupWriter({ health, log, behind, commit, seq: replayed.last, reached });
    this.#shrinker = new Shrinker({ opened, encoder, writer: this.#writer, health, reached, restMs });
    this.#changes = new LmdbChanges(this.#tables);
    this.#answers = new LmdbAnswers(this.#tables);
    this.#shelves = new LmdbShelves(this.#tables);
    this.baselines = new LmdbBaselines(this.#tables, this.#writer);
    this.#documents = new LmdbDocuments(this.#tables, this.baselines);
  }

  get trouble(): StoreTrouble | undefined {
    return this.#health.trouble;
  }

  documents(): DocumentRecord[] {
    return this.#documents.all();
  }

  document(id: string): DocumentRecord | undefined {
    return this.#documents.get(id);
  }

  documentAt(path: string): DocumentRecord | undefined {
    return this.#documents.at(path)[0];
  }

  saveDocument(record: DocumentRecord): Promise<void> {
    return this.#writer.write(() => this.#documents.put(record));
  }

  create(record: DocumentRecord, snapshot: SnapshotRecord, ...changes: ChangeRecord[]): Promise<void> {
    const written = this.#writer.write(
      () => [
        ...this.#documents.put(record),
        ...this.baselines.removal(record.path),
        this.#tables.snapshots.put(record.id, snapshot),
        ...changes.flatMap((change) => this.#changes.put(record.id, change)),
      ],
      snapshot.bytes.length,
    );
    return written.finally(this.baselines.changed);
  }

  append(...parts: readonly Appended[]): Promise<void> {
    const all = parts.flatMap(({ id, entries }) => entries.map((entry) => ({ id, entry })));
    const put = () => all.flatMap(({ id, entry }) => this.#putEntry(id, entry));
    const bytes = all.reduce((sum, { entry }) => sum + entrySize(entry), 0);
    const written = this.#writer.write(put, bytes);
    for (const { entry } of all) if (entry.answer) void this.#answers.follow(entry.answer, written);
    return written;
  }

  async compact(id: string, snapshot: SnapshotRecord, keepFrom: Seq): Promise<void> {
    const folded = this.#tables.updates.keys({ start: [id, 0], end: [id, snapshot.seq + 1] });
    const stored = storedSnapshot(snapshot);
    await this.#writer.write(
      () => [
        this.#tables.snapshots.put(id, stored),
        ...Array.from(folded, (key) => this.#tables.updates.remove(key)),
        ...this.#changes.dropBefore(id, Math.min(keepFrom, snapshot.seq)),
      ],
      stored.bytes.length,
    );
    this.#changes.forget();
  }

  fold(id: string, runs: readonly (readonly ChangeRecord[])[]): Promise<void> {
    return this.#writer.write(() => this.#changes.fold(id, runs));
  }

  truncate(id: string, seq: Seq): Promise<void> {
    const range: TableRange<[string, Seq]> = { start: [id, seq], end: [id, LAST] };
    return this.#writer.write(() => [
      ...Array.from(this.#tables.updates.keys(range), (key) => this.#tables.updates.remove(key)),
      ...this.#changes.truncate(id, seq),
    ]);
  }

  snapshot(id: string): SnapshotRecord | undefined {
    const stored = this.#tables.snapshots.get(id);
    return stored && snapshotIn(stored);
  }

  journal(id: string, after: Seq = -1): JournalEntry[] {
    const entries: JournalEntry[] = [];
    for (const { key, value } of this.#tables.updates.range({ start: [id, after + 1], end: [id, LAST] })) {
      const change = this.#changes.change(...key);
      if (change === undefined) throw this.#health.damaged();
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

  find(changeId: string, last?: Seq): { docId: string; seq: Seq } | undefined {
    return this.#changes.find(changeId, last);
  }

  answer(agent: string, opId: string): AnswerRecord | undefined {
    return this.#answers.get(agent, opId);
  }

  keepAnswer(answer: AnswerRecord, ...records: readonly Shelved[]): Promise<void> {
    const put = () => [...this.#answers.put(answer), ...this.#shelves.put(records)];
    return this.#answers.follow(answer, this.#writer.write(put, sizeAtMost(records)));
  }

  forgetAnswers(before: number, keep: number): Promise<void> {
    return this.#answers.forget(this.#writer, before, keep);
  }

  packAnswers(): Promise<void> {
    return this.#answers.pack(this.#writer);
  }

  shelve(...records: readonly Shelved[]): Promise<void> {
    return this.#writer.write(() => this.#shelves.put(records), sizeAtMost(records));
  }

  shelved<T extends object>(shelf: Shelf<T>, id: string): T | undefined {
    return this.#shelves.get(shelf, id);
  }

  shelf<T extends object>(shelf: Shelf<T>): Iterable<T> {
    return this.#shelves.all(shelf);
  }

  savePeer(peer: string, author: PeerRecord): Promise<void> {
    return this.#writer.write(() => [this.#tables.peers.put(peer, author)]);
  }

  peer(peer: string): PeerRecord | undefined {
    return this.#tables.peers.get(peer);
  }

  /** Waits for the writes under way. While writes are refused it does not close LMDB, which would wait forever. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#health.close();
    await this.#shrinker.stop();
    await this.#writer.close();
    if (this.trouble === undefined) {
      await closeShrunk(this.#opened);
      markClosed(this.#opened.folder);
    }
    this.#stopIgnoring();
  }

  #putEntry(id: string, { change, updates, answer, shelved = [], record }: JournalEntry): RecordWrite[] {
    return [
      ...(record === undefined ? [] : this.#documents.put(record)),
      this.#tables.updates.put([id, change.seq], updates),
      ...this.#changes.put(id, change),
      ...(answer === undefined ? [] : this.#answers.put(answer)),
      ...this.#shelves.put(shelved),
    ];
  }
}
