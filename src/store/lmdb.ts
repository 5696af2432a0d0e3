import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Database,
  type Key,
  open,
  type RangeIterable,
  type RangeOptions,
  type RootDatabase,
} from "lmdb";
import { CheckedEncoder } from "./checked.ts";
import { Condition } from "./condition.ts";
import { lmdbReasonOf, takeOrphans } from "./lmdb-errors.ts";
import { markClosed, markOpened } from "./mark.ts";
import { sizeAtMost } from "./size.ts";
import {
  type AnswerRecord,
  type Appended,
  type ChangeRecord,
  type DocumentRecord,
  type JournalEntry,
  type PeerRecord,
  type Seq,
  type Shelf,
  type ShelfName,
  type Shelved,
  type SnapshotRecord,
  type Store,
  StoreError,
  type StoreTrouble,
  type UpdateRecord,
} from "./store.ts";
import { UnderWay } from "./under-way.ts";

/** Raised whenever what is written changes shape; an older daemon refuses a newer store. */
export const SCHEMA = 3;
/** The oldest shape that is still read (I18). Before 3, a thread was one record, and so was a proposal. */
const OLDEST_SCHEMA = 2;

/**
 * A store in LMDB: after a crash it is what was flushed last, also where nothing but the disk was cut off
 * (`safeRestore`), so that nothing comes back that was refused. One environment in `folder`.
 * @throws StoreError when it cannot be opened
 */
export function openLmdbStore(folder: string): Store {
  return withEnvironment(folder, (env, meta) => {
    const schema = meta.get("schema") ?? SCHEMA;
    if (!isReadable(schema)) throw new StoreError("failed", unreadable(schema));
    markOpened(folder);
    if (meta.get("schema") !== SCHEMA) meta.putSync("schema", SCHEMA);
    return new LmdbStore(env, meta, folder);
  });
}

/**
 * Reads everything that a store holds, and sees that it fits together. A store of another version is not looked at.
 * @throws when it is damaged, or ends the process
 */
export function readThrough(folder: string): void {
  withEnvironment(folder, (env, meta) => {
    if (!isReadable(meta.get("schema") ?? SCHEMA)) return;
    const encoder = new CheckedEncoder(() => undefined);
    const db = <V, K extends Key>(name: (typeof DATABASES)[number]) =>
      env.openDB<V, K>({ name, ...{ encoder } });
    for (const name of DATABASES) for (const _entry of db(name).getRange());
    const changes = db<ChangeRecord, [string, Seq]>("changes");
    const snapshots = db<SnapshotRecord, string>("snapshots");
    const paths = db<unknown, string>("paths");
    const fits = [
      db<DocumentRecord, string>("documents")
        .getRange()
        .map(
          ({ key, value }) =>
            key === value.id && (value.deletedAt !== undefined || paths.doesExist(value.path)),
        ),
      snapshots.getRange().map(({ key, value }) => changes.doesExist([key, value.seq])),
      db<UpdateRecord, [string, Seq]>("updates")
        .getKeys()
        .map((key) => changes.doesExist(key)),
    ];
    if (fits.some((all) => [...all].includes(false)))
      throw new StoreError("failed", "the store is damaged: its records do not fit together");
  });
}

/** @throws StoreError when the environment cannot be opened */
function withEnvironment<T>(
  folder: string,
  work: (env: RootDatabase, meta: Database<number, string>) => T,
): T {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const env = open({ ...OPTIONS, path: folder });
    const meta = env.openDB<number, string>({ name: "meta" });
    return work(env, meta);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError("failed", `cannot open the store in ${folder}: ${reason}`, { cause: error });
  }
}

function isReadable(schema: number): boolean {
  return schema >= OLDEST_SCHEMA && schema <= SCHEMA;
}

function unreadable(schema: number): string {
  const version = schema > SCHEMA ? "a newer version of spliced" : "an early version of spliced";
  return `the store has schema ${schema}, written by ${version}; this version reads ${OLDEST_SCHEMA} to ${SCHEMA}. Start that version; the store was left as it is`;
}

class LmdbStore implements Store {
  readonly #env: RootDatabase;
  readonly #documents: Database<DocumentRecord, string>;
  /** The ids that a path was given to (or the only one), the last one first; each counts while its record says so. */
  readonly #paths: Database<string | readonly string[], string>;
  readonly #snapshots: Database<SnapshotRecord, string>;
  readonly #updates: Database<UpdateRecord, [string, Seq]>;
  readonly #changes: Database<ChangeRecord, [string, Seq]>;
  /** Document and seq by the id of a change. */
  readonly #ids: Database<[string, Seq], string>;
  readonly #answers: Database<AnswerRecord, [string, string]>;
  readonly #shelves: Database<object, [ShelfName, string]>;
  readonly #peers: Database<PeerRecord, string>;

  readonly #folder: string;
  readonly #condition: Condition;
  readonly #underWay = new UnderWay();
  readonly #leaveOrphans: () => void;
  /** Resolves once it is known what the latest failure of a write means. */
  #judged: Promise<unknown> = Promise.resolve();

  constructor(env: RootDatabase, meta: Database<number, string>, folder: string) {
    this.#env = env;
    this.#folder = folder;
    const probe = () => this.#write(() => [meta.put("probe", Date.now())]);
    this.#condition = new Condition(join(folder, "data.mdb"), probe);
    this.#leaveOrphans = takeOrphans();
    const encoder = new CheckedEncoder(() => this.#condition.refused("failed", DAMAGE));
    const db = (name: (typeof DATABASES)[number]) => env.openDB<never, never>({ name, ...{ encoder } });
    this.#documents = db("documents");
    this.#paths = db("paths");
    this.#snapshots = db("snapshots");
    this.#updates = db("updates");
    this.#changes = db("changes");
    this.#ids = db("ids");
    this.#answers = db("answers");
    this.#shelves = db("shelves");
    this.#peers = db("peers");
  }

  get trouble(): StoreTrouble | undefined {
    return this.#condition.trouble;
  }

  documents(): DocumentRecord[] {
    return [...this.#documents.getRange()].map(({ value }) => value);
  }

  document(id: string): DocumentRecord | undefined {
    return this.#documents.get(id);
  }

  documentAt(path: string): DocumentRecord | undefined {
    return this.#givenTo(path)[0];
  }

  saveDocument(record: DocumentRecord): Promise<void> {
    return this.#write(() => this.#putDocument(record));
  }

  create(record: DocumentRecord, snapshot: SnapshotRecord, first: ChangeRecord): Promise<void> {
    return this.#write(
      () => [
        ...this.#putDocument(record),
        this.#snapshots.put(record.id, snapshot),
        ...this.#putChange(record.id, first),
      ],
      snapshot.bytes.length,
    );
  }

  append(...parts: readonly Appended[]): Promise<void> {
    return this.#write(
      () => parts.flatMap(({ id, entries }) => entries.flatMap((entry) => this.#putEntry(id, entry))),
      parts.reduce((sum, { entries }) => entries.reduce((own, entry) => own + sizeOf(entry), sum), 0),
    );
  }

  compact(id: string, snapshot: SnapshotRecord, keepFrom: Seq): Promise<void> {
    const folded = this.#updates.getKeys({ start: [id, 0], end: [id, snapshot.seq + 1] });
    const dropped = this.#changes.getRange({ start: [id, 0], end: [id, Math.min(keepFrom, snapshot.seq)] });
    return this.#write(
      () => [
        this.#snapshots.put(id, snapshot),
        ...[...folded].map((key) => this.#updates.remove(key)),
        ...this.#removeChanges(dropped),
      ],
      snapshot.bytes.length,
    );
  }

  truncate(id: string, seq: Seq): Promise<void> {
    // getKeys notes in its options that it wants no values, so each has its own.
    const range = (): RangeOptions => ({ start: [id, seq], end: [id, LAST] });
    return this.#write(() => [
      ...[...this.#updates.getKeys(range())].map((key) => this.#updates.remove(key)),
      ...this.#removeChanges(this.#changes.getRange(range())),
    ]);
  }

  snapshot(id: string): SnapshotRecord | undefined {
    return this.#snapshots.get(id);
  }

  journal(id: string): JournalEntry[] {
    const entries: JournalEntry[] = [];
    for (const { key, value } of this.#updates.getRange({
      start: [id, 0],
      end: [id, LAST],
    })) {
      const change = this.#changes.get(key);
      if (change === undefined) throw this.#condition.refused("failed", DAMAGE);
      entries.push({ change, updates: value });
    }
    return entries;
  }

  change(id: string, seq: Seq): ChangeRecord | undefined {
    return this.#changes.get([id, seq]);
  }

  oldest(id: string): ChangeRecord | undefined {
    for (const { value } of this.#changes.getRange({ start: [id, 0], end: [id, LAST], limit: 1 }))
      return value;
    return undefined;
  }

  *changes(id: string, options: { before?: Seq; limit?: number } = {}): Iterable<ChangeRecord> {
    const start = options.before === undefined ? LAST : options.before - 1;
    if (start < 0) return;
    const range = this.#changes.getRange({
      start: [id, start],
      end: [id, -1],
      reverse: true,
      ...(options.limit !== undefined && { limit: options.limit }),
    });
    for (const { value } of range) yield value;
  }

  find(changeId: string): { docId: string; seq: Seq } | undefined {
    const [docId, seq] = this.#ids.get(changeId) ?? [];
    return docId === undefined || seq === undefined ? undefined : { docId, seq };
  }

  answer(agent: string, opId: string): AnswerRecord | undefined {
    return this.#answers.get([agent, opId]);
  }

  forgetAnswers(before: number, keep: number): Promise<void> {
    const given = [...this.#answers.getRange().map(({ key, value: { time } }) => ({ key, time }))];
    const old = given.sort((a, b) => b.time - a.time).slice(keep);
    return this.#write(() =>
      old.filter(({ time }) => time < before).map(({ key }) => this.#answers.remove(key)),
    );
  }

  shelve(...records: readonly Shelved[]): Promise<void> {
    return this.#write(() => this.#putShelved(records), sizeAtMost(records));
  }

  shelved<T extends object>(shelf: Shelf<T>, id: string): T | undefined {
    return this.#shelves.get([shelf, id]) as T | undefined;
  }

  *shelf<T extends object>(shelf: Shelf<T>): Iterable<T> {
    for (const { value } of this.#shelves.getRange({ start: [shelf, ""], end: [shelf, HIGHEST] }))
      yield value as T;
  }

  savePeer(peer: string, author: PeerRecord): Promise<void> {
    return this.#write(() => [this.#peers.put(peer, author)]);
  }

  peer(peer: string): PeerRecord | undefined {
    return this.#peers.get(peer);
  }

  /** Waits for what was asked for. After trouble that stands there is nothing to wait for, and LMDB would, forever. */
  async close(): Promise<void> {
    this.#condition.close();
    if (this.trouble === undefined) {
      await this.#env.close();
      markClosed(this.#folder);
    }
    this.#leaveOrphans();
  }

  #putEntry(id: string, { change, updates, answer, shelved = [] }: JournalEntry): Promise<boolean>[] {
    return [
      this.#updates.put([id, change.seq], updates),
      ...this.#putChange(id, change),
      ...(answer === undefined ? [] : [this.#answers.put([answer.agent, answer.opId], answer)]),
      ...this.#putShelved(shelved),
    ];
  }

  #putShelved(records: readonly Shelved[]): Promise<boolean>[] {
    return records.map(({ shelf, id, record }) =>
      record === null ? this.#shelves.remove([shelf, id]) : this.#shelves.put([shelf, id], record),
    );
  }

  #putChange(id: string, change: ChangeRecord): Promise<boolean>[] {
    return [this.#changes.put([id, change.seq], change), this.#ids.put(change.id, [id, change.seq])];
  }

  /** Holds one change in memory at a time: each may be as large as its document. */
  #removeChanges(changes: RangeIterable<{ key: [string, Seq]; value: ChangeRecord }>): Promise<boolean>[] {
    const places = [...changes.map(({ key, value }) => ({ key, id: value.id }))];
    return places.flatMap(({ key, id }) => [this.#changes.remove(key), this.#ids.remove(id)]);
  }

  #putDocument(record: DocumentRecord): Promise<boolean>[] {
    const { id, path } = record;
    const document = this.#documents.put(id, record);
    if (this.#documents.get(id)?.path === path) return [document];
    // The entry of the path that it leaves stays: somebody else's may be on the way to the disk.
    const others = this.#givenTo(path).map((other) => other.id);
    return [document, this.#paths.put(path, [id, ...others])];
  }

  /** The documents whose path this is, the one that came there last first; the others are deleted ones. */
  #givenTo(path: string): DocumentRecord[] {
    const ids = [this.#paths.get(path) ?? []].flat();
    return ids.flatMap((id) => this.#documents.get(id) ?? []).filter((record) => record.path === path);
  }

  /**
   * One atomic write of about so many bytes: what is put in one turn is one transaction. LMDB's promise resolves
   * when the commit and the flush behind it are done (I2). A flush that fails makes all later ones worthless: the
   * system forgets what it could not write, and the next flush succeeds without it.
   */
  async #write(work: () => Promise<boolean>[], bytes = 0): Promise<void> {
    this.#condition.admit(bytes);
    try {
      const late = () => this.#refused("failed", "the disk does not answer");
      const kept = Promise.all(work());
      kept.catch(lmdbReasonOf); // heard also when another failure has answered for it
      await this.#underWay.follow(kept, late);
    } catch (error) {
      if (error instanceof StoreError) throw error; // ended because of another
      const judged = this.#judge(error);
      this.#judged = judged;
      throw await judged;
    }
    await this.#judged;
    this.#condition.worked();
  }

  async #judge(error: unknown): Promise<StoreError> {
    const reason = await lmdbReasonOf(error);
    if (/ENOSPC|EDQUOT|No space|quota|MAP_FULL/i.test(reason)) return this.#refused("full", reason);
    return this.#refused("failed", `the disk does not take what is written to the store: ${reason}`);
  }

  #refused(kind: "full" | "failed", reason: string): StoreError {
    const refusal = this.#condition.refused(kind, reason);
    if (kind === "failed") this.#underWay.endAll(refusal);
    return refusal;
  }
}

const DATABASES = [
  "documents",
  "paths",
  "snapshots",
  "updates",
  "changes",
  "ids",
  "answers",
  "shelves",
  "peers",
] as const;
const DAMAGE = "the store is damaged; the next start sets it aside and takes the documents from their files";
const OPTIONS = { maxDbs: 16, compression: false, safeRestore: true };
const LAST = Number.MAX_SAFE_INTEGER;
/** After every id. */
const HIGHEST = "\u{10ffff}";

/** Roughly what an entry takes in the database, in bytes. */
function sizeOf({
  updates: { disk, memory },
  change: { splices, removed },
  shelved = [],
}: JournalEntry): number {
  const inserted = splices.reduce((sum, { insert }) => sum + insert.length, 0);
  const taken = removed.reduce((sum, text) => sum + text.length, 0);
  return (disk?.length ?? 0) + (memory?.length ?? 0) + 3 * (inserted + taken) + sizeAtMost(shelved);
}
