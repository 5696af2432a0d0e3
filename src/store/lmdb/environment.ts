import { mkdirSync } from "node:fs";
import { type Database, type Key, open, type RootDatabase } from "lmdb";
import { baselinePacker, type StoredBaseline } from "../format/baseline-format.ts";
import { changePacker } from "../format/change-format.ts";
import type { CheckedEncoder } from "../format/checked-encoder.ts";
import type { AnswerPack } from "../format/packed-answers.ts";
import type { Pack } from "../format/packed-changes.ts";
import type { StoredSnapshot } from "../format/stored-snapshot.ts";
import {
  type AnswerRecord,
  type ChangeRecord,
  type DocumentRecord,
  type PeerRecord,
  type Seq,
  StoreError,
  type UpdateRecord,
} from "../store.ts";

/**
 * The version of the stored shape; each change of the shape raises it. An older daemon refuses a newer store. Version 4
 * has baselines, and changes that are no edits. 5 has threads that several tokens share, and patch marks. 6 has short
 * baselines, the paths of inodes, and inventories. 7 has proposals of several files, and the steps of batches under way. 8
 * has packs. 9 can have a front log (`log/`) with writes that the database lacks. 11 has packs in columns,
 * packed snapshots, and changes without the names of their fields.
 */
export const SCHEMA = 11;
/** The oldest version that this daemon reads (I18). Before 3, a thread was one record, and so was a proposal. */
const OLDEST_SCHEMA = 2;

/**
 * The bytes of addresses that the database reserves at once; it takes memory and disk only as it grows. A database that
 * outgrows its map gets a second one, and both stay: every page that both have seen counts twice.
 */
const MAP_BYTES = 64 * 2 ** 30;

/** The read transactions that can be open at once: the most whose places take two pages in the file of locks. */
const MAX_READERS = 124;

const OPTIONS = {
  maxDbs: 24,
  maxReaders: MAX_READERS,
  compression: false,
  safeRestore: true,
  mapSize: MAP_BYTES,
};

/** The name in `meta` of a random id, which the records of the front log repeat. */
export const DATABASE_ID = "database";
/** The name in `meta` of the number of the last group of writes that the database has. */
export const TAKEN = "taken";

export interface Databases {
  readonly meta: Database<number, string>;
  readonly documents: Database<DocumentRecord, string>;
  /**
   * The ids of all documents that ever had a path, the newest first; one id alone is stored as a string. An id counts
   * only while the record of its document names the path.
   */
  readonly paths: Database<string | readonly string[], string>;
  readonly snapshots: Database<StoredSnapshot, string>;
  readonly updates: Database<UpdateRecord, [string, Seq]>;
  readonly changes: Database<ChangeRecord, [string, Seq]>;
  /** The older changes of a document, by the last change of each pack. */
  readonly packs: Database<Pack, [string, Seq]>;
  /** Document and seq by the id of a change, or by the tail of several ids: the first change with it. */
  readonly ids: Database<[string, Seq], string>;
  readonly answers: Database<AnswerRecord, [string, string]>;
  /** Older answers, oldest pack first. */
  readonly answerPacks: Database<AnswerPack, string>;
  /** By shelf and id. */
  readonly shelves: Database<object, [string, string]>;
  readonly peers: Database<PeerRecord, string>;
  readonly baselines: Database<StoredBaseline, string>;
  /** The path of the baseline whose file has an inode. */
  readonly inodes: Database<string, string>;
  /** Packed, by the folder with a slash at its end. */
  readonly inventories: Database<Uint8Array, string>;
  /** Deflated bytes by the hash of the bytes. */
  readonly contents: Database<Uint8Array, string>;
}

/**
 * Opens the LMDB environment in `folder` for `work`. `safeRestore`: after a crash, or a power cut of the disk alone,
 * LMDB contains its last flushed state. So no refused write returns. @throws StoreError when the environment cannot be
 * opened
 */
export function withEnvironment<T>(
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

/**
 * Makes a small transaction in an environment without a list of free pages, as a dense copy is. The first transaction makes
 * the list, and lmdb 3.5.6 fails if that takes more than a page: it looks for room in the list that it has just begun.
 */
export function beginFreeList(env: RootDatabase, meta: Database<number, string>): void {
  const { free } = env.getStats() as { readonly free: { readonly entryCount: number } };
  const schema = meta.get("schema");
  if (schema !== undefined && free.entryCount === 0) meta.putSync("schema", schema);
}

/** An open LMDB environment with its databases. */
export interface Environment {
  readonly env: RootDatabase;
  readonly databases: Databases;
}

export function openDatabases(
  env: RootDatabase,
  meta: Database<number, string>,
  encoder: CheckedEncoder,
): Databases {
  const db = <V, K extends Key>(name: keyof Databases) =>
    env.openDB<V, K>({ name, ...{ encoder: encoderOf(name, encoder) } });
  return {
    meta,
    documents: db("documents"),
    paths: db("paths"),
    snapshots: db("snapshots"),
    updates: db("updates"),
    changes: db("changes"),
    packs: db("packs"),
    ids: db("ids"),
    answers: db("answers"),
    answerPacks: db("answerPacks"),
    shelves: db("shelves"),
    peers: db("peers"),
    baselines: db("baselines"),
    inodes: db("inodes"),
    inventories: db("inventories"),
    contents: db("contents"),
  };
}

/** Returns the encoder of a database. */
export function encoderOf(name: keyof Databases, encoder: CheckedEncoder): CheckedEncoder {
  if (name === "baselines") return encoder.with(baselinePacker);
  return name === "changes" ? encoder.with(changePacker) : encoder;
}

export function isReadable(schema: number): boolean {
  return schema >= OLDEST_SCHEMA && schema <= SCHEMA;
}

/** Returns why a store of another version is refused. */
export function unreadable(schema: number): string {
  const version = schema > SCHEMA ? "a newer version of spliced" : "an early version of spliced";
  return `the store has schema ${schema}, written by ${version}; this version reads ${OLDEST_SCHEMA} to ${SCHEMA}. Start that version; the store is unchanged`;
}
