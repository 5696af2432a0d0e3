import type { Image, StagedId } from "../mirror/files.ts";
import type { Splice } from "../text/splice.ts";

/** The place of a change in its document's history: 0 is the text as first seen, each change adds one. */
export type Seq = number;

export interface DocumentRecord {
  readonly id: string;
  /** Root-relative, POSIX. */
  readonly path: string;
  /** The file starts with a byte order mark, which is not part of the text. */
  readonly bom: boolean;
  /** The last change that the file is known to hold. */
  readonly landed: Seq;
  /** What the file was when the daemon last looked. */
  readonly image?: Image;
  /** The last change that the file holds even after a power cut, so far as that is known. */
  readonly synced?: Seq;
  /** The last version that was staged, what it was staged as, and what it looked like then. */
  readonly staged?: { readonly seq: Seq; readonly id: StagedId; readonly image: Image };
  /** Milliseconds since the epoch; set while the document has no file. */
  readonly deletedAt?: number;
}

/** Who writes as a peer. */
export interface PeerRecord {
  readonly name: string;
  readonly agent: string;
  /** Set when it is the peer of a replica outside the daemon. */
  readonly elsewhere?: boolean;
}

/** Where a change came from. */
export type Origin = "agent" | "disk" | "undo" | "proposal" | "remote";

/** What was done to a text, and what undoes it. */
export interface UpgradeStep {
  /** In the positions of the text before. */
  readonly splices: readonly Splice[];
  /** What each splice took out. */
  readonly removed: readonly string[];
}

/** Edits that the file did not hold yet when it was saved. */
export interface Beside extends UpgradeStep {
  /** Whose they are, by name. */
  readonly authors: readonly string[];
}

/** What a save from an older version lacked. */
export interface Lacked {
  /** The version that it was made from. */
  readonly base: string;
  /** Whose edits since then, by name. */
  readonly authors: readonly string[];
}

/** Names the batch that a change is part of. */
export interface BatchMark {
  readonly id: string;
  /** How many documents the batch changed. */
  readonly size: number;
}

/** One accepted edit, kept for as long as the history is. */
export interface ChangeRecord extends UpgradeStep {
  readonly seq: Seq;
  readonly id: string;
  /** The name shown; `disk` for what came from the file. */
  readonly author: string;
  /** The identity behind the name, the same across restarts. */
  readonly agent: string;
  readonly origin: Origin;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly message?: string;
  /** The id of the change that this one takes back. */
  readonly undoes?: string;
  /** The batch whose changes are undone together. */
  readonly batch?: BatchMark;
  /** Of an outside save: what it was merged with, from the saved text on; left out when that was nothing. */
  readonly beside?: Beside;
  /** Of an outside save that took these out and stands, or of the change that gave them back. */
  readonly lacked?: Lacked;
  /** Of the file's exact bytes after the change; absent for documents too large to hash at each edit. */
  readonly sha256?: string;
}

/** Loro updates that one change made; the disk replica's come first. */
export interface UpdateRecord {
  readonly disk?: Uint8Array;
  readonly memory?: Uint8Array;
  /** Of an outside save: the last of memory's changes that the saved file had held. */
  readonly landed?: Seq;
}

export interface JournalEntry {
  readonly change: ChangeRecord;
  readonly updates: UpdateRecord;
  /** Kept with the change; not told again by `journal`. */
  readonly answer?: AnswerRecord;
  /** Put on their shelves with the change. */
  readonly shelved?: readonly Shelved[];
}

/** Changes of one document, oldest first. */
export interface Appended {
  readonly id: string;
  readonly entries: readonly JournalEntry[];
}

/** Kinds of records that are found by their ids alone. */
export const SHELVES = ["batches", "checkpoints", "messages", "proposals", "texts", "threads"] as const;
export type ShelfName = (typeof SHELVES)[number];

declare const recordType: unique symbol;
/** The name of a shelf, with the type of its records. */
export type Shelf<T extends object> = ShelfName & { readonly [recordType]: T };

/** Names the type of a shelf's records. The store does not check records: it returns them as they were written. */
export function shelfOf<T extends object = object>(name: ShelfName): Shelf<T> {
  return name as Shelf<T>;
}

/** A record to write to a shelf, as plain data; null removes the record that the shelf has under this id. */
export interface Shelved {
  readonly shelf: ShelfName;
  readonly id: string;
  readonly record: object | null;
}

/** A whole document up to and with a change, in Loro's bytes. */
export interface SnapshotRecord {
  readonly seq: Seq;
  readonly form: "update" | "snapshot";
  readonly bytes: Uint8Array;
}

/** An answer kept so that the same `opId` gets it again. */
export interface AnswerRecord {
  readonly agent: string;
  readonly opId: string;
  readonly time: number;
  readonly result: unknown;
}

/**
 * The store cannot keep what it was given; nothing of it was kept.
 * `full`: no space left. `failed`: anything else.
 */
export class StoreError extends Error {
  readonly kind: "full" | "failed";

  constructor(kind: "full" | "failed", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.kind = kind;
  }
}

/** Why the store kept nothing of what it was given; undefined once it has kept it. */
export async function storeFailure(work: Promise<unknown>): Promise<StoreError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

/**
 * Why the store keeps nothing at present. `full`: no space left; it goes on by itself once there is some.
 * `gone`: its folder is away; it goes on when that is back. `failed`: the disk refused a write or a flush. The
 * system may then take for written what it has thrown away, so nothing is written any more by this process.
 */
export interface StoreTrouble {
  readonly kind: "full" | "gone" | "failed";
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Where documents live between runs. Reads are synchronous and see every write already asked for by the
 * same process once its promise resolved. Each write is all or nothing; its promise resolves when the write
 * is on the disk to stay (I2) and rejects with a StoreError when nothing of it was kept. Writes that wait
 * together are committed together.
 */
export interface Store {
  /** Set while writes are refused. */
  readonly trouble: StoreTrouble | undefined;

  documents(): DocumentRecord[];
  document(id: string): DocumentRecord | undefined;
  documentAt(path: string): DocumentRecord | undefined;
  /** Keeps what is known of the file. Not waited for: after a crash the file itself tells. */
  saveDocument(record: DocumentRecord): Promise<void>;

  create(record: DocumentRecord, snapshot: SnapshotRecord, first: ChangeRecord): Promise<void>;
  /** All of them or none, of one document or several. */
  append(...parts: readonly Appended[]): Promise<void>;
  /** Replaces the snapshot and drops the updates that it contains, and the change records before `keepFrom`. */
  compact(id: string, snapshot: SnapshotRecord, keepFrom: Seq): Promise<void>;
  /** Takes back entries that were never acknowledged, from `seq` on. */
  truncate(id: string, seq: Seq): Promise<void>;

  snapshot(id: string): SnapshotRecord | undefined;
  /** Journal entries after the snapshot, oldest first. */
  journal(id: string): JournalEntry[];
  change(id: string, seq: Seq): ChangeRecord | undefined;
  /** The first change that is kept. */
  oldest(id: string): ChangeRecord | undefined;
  /** Newest first, from `before` (exclusive; default: from the newest). */
  changes(id: string, options?: { readonly before?: Seq; readonly limit?: number }): Iterable<ChangeRecord>;

  /** Where the change with an id is. */
  find(changeId: string): { readonly docId: string; readonly seq: Seq } | undefined;

  answer(agent: string, opId: string): AnswerRecord | undefined;
  /** Drops answers older than a moment (milliseconds since the epoch), but for so many of the newest. */
  forgetAnswers(before: number, keep: number): Promise<void>;

  /** All of them or none, in their order. */
  shelve(...records: readonly Shelved[]): Promise<void>;
  shelved<T extends object>(shelf: Shelf<T>, id: string): T | undefined;
  /** All records of a shelf, in the order of their ids. */
  shelf<T extends object>(shelf: Shelf<T>): Iterable<T>;

  /** Remembers who writes as a peer. */
  savePeer(peer: string, author: PeerRecord): Promise<void>;
  peer(peer: string): PeerRecord | undefined;

  /** Waits for the writes that were asked for; from then on every write is refused. */
  close(): Promise<void>;
}
