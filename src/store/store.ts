import type { Image, StagedId } from "../mirror/files.ts";
import type { Splice } from "../text/splice.ts";
import type { BaselineStore } from "./baselines.ts";
import type { Shelf, Shelved } from "./shelf.ts";

/** The position of a change in its document's history: 0 is the first known text, each change adds one. */
export type Seq = number;

export interface DocumentRecord {
  readonly id: string;
  /** Root-relative, POSIX. */
  readonly path: string;
  /** The file starts with a byte order mark, which is not part of the text. */
  readonly bom: boolean;
  /** The last change that the file is known to contain. */
  readonly landed: Seq;
  /** The file at the daemon's last look. */
  readonly image?: Image;
  /** The last change that the file is known to contain even after a power cut. */
  readonly synced?: Seq;
  /** The last version that was staged, its name among the staged ones, and its image then. */
  readonly staged?: { readonly seq: Seq; readonly id: StagedId; readonly image: Image };
  /** Milliseconds since the epoch; set while the document has no file. */
  readonly deletedAt?: number;
}

/** The author of a Loro peer's operations. */
export interface PeerRecord {
  readonly name: string;
  readonly agent: string;
  /** Set for the peer of a replica outside the daemon. */
  readonly elsewhere?: boolean;
}

/** The cause of a change. */
export type Origin = "agent" | "disk" | "undo" | "proposal" | "remote";

/** The certainty that an agent saved a file: a claim named the file, or an agent's shell command ran meanwhile. */
export type Certainty = "sure" | "likely";

/** A step from one text to the next, with the deleted text that undoing it needs. */
export interface UpgradeStep {
  /** In the positions of the text before. */
  readonly splices: readonly Splice[];
  /** The text that each splice deleted. */
  readonly removed: readonly string[];
}

/** Edits that the file did not contain yet when it was saved. */
export interface Beside extends UpgradeStep {
  /** The names of their authors. */
  readonly authors: readonly string[];
}

/** The edits that a stale save lacked. */
export interface Lacked {
  /** The version that the save was made from. */
  readonly base: string;
  /** The names of the authors of later edits. */
  readonly authors: readonly string[];
  /**
   * The evidence that the save was made from `base`: a claim, an editor's own files, no reading of a newer version, or
   * the texts alone, which clients know as `text`. Absent in records of earlier versions.
   */
  readonly evidence?: "claim" | "editor" | "unread" | "texts" | undefined;
}

/** An event of a document's file: a change that left the text as it was, or the beginning of the text. */
export type FileEvent =
  | { readonly kind: "create" }
  | { readonly kind: "delete" }
  | { readonly kind: "rename"; readonly from: string; readonly to: string };

/** The batch that a change is part of. */
export interface BatchMark {
  readonly id: string;
  /** The most changes that the batch has; it has fewer where some failed or changed nothing. */
  readonly size: number;
}

/** A message of a thread, which a change or a proposal answers. */
export interface AnsweredMessage {
  readonly thread: string;
  readonly messageId: string;
}

/** The number of hunks of a patch, the largest offset in lines, and the most context lines ignored. */
export interface PatchMark {
  readonly hunks: number;
  readonly offset: number;
  readonly fuzz: number;
}

/** One accepted edit, stored as long as the history. */
export interface ChangeRecord extends UpgradeStep {
  readonly seq: Seq;
  readonly id: string;
  /** The displayed name; `disk` for a save of the file. */
  readonly author: string;
  /** The identity behind the name, stable across restarts. */
  readonly agent: string;
  readonly origin: Origin;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly message?: string;
  /** The session of the agent that made the change, as the agent names it. */
  readonly session?: string;
  /** The message of a thread that the change answers. */
  readonly answers?: AnsweredMessage;
  /** For a save that claims credit to an agent: whether a claim named the file. */
  readonly certainty?: Certainty;
  /** The identities of all agents that may have saved the file, when several claims match; `agent` joins them. */
  readonly candidates?: readonly string[];
  /** Set for a change that created, deleted or renamed the file; absent for an edit. */
  readonly file?: FileEvent;
  /** The id of the change that this one undoes. */
  readonly undoes?: string;
  /** The ids of older changes of the same document that this one undoes, too. */
  readonly alsoUndoes?: readonly string[];
  /** The batch that is undone as a whole. */
  readonly batch?: BatchMark;
  /** For a save of the file: the edits that it was merged with, in positions of the saved text; absent without any. */
  readonly beside?: Beside;
  /** For a save of the file that deleted these edits for good, or for the change that restored them. */
  readonly lacked?: Lacked;
  /** For a change that a patch made: where its hunks landed. Absent in records of earlier versions. */
  readonly patch?: PatchMark;
  /**
   * The hash of the file's exact bytes after the change; absent for documents too large to hash at each edit, and for old
   * changes.
   */
  readonly sha256?: string;
  /** The machine on which the change was made, by its name; absent for this machine. */
  readonly machine?: string;
  /** Set for an entry of the history that was folded of several changes; `seq`, `id` and `time` are the last one's. */
  readonly folded?: Folded;
}

/** The first of the changes that were folded into one. */
export interface Folded {
  readonly first: Seq;
  /** Its time, in milliseconds since the epoch. */
  readonly began: number;
}

/** Returns the sequence number of the first change of an entry of the history. */
export function firstSeqOf({ seq, folded }: Pick<ChangeRecord, "seq" | "folded">): Seq {
  return folded?.first ?? seq;
}

/** The Loro updates of one change; the disk replica's come first. */
export interface UpdateRecord {
  readonly disk?: Uint8Array;
  readonly memory?: Uint8Array;
  /** Set for an edit that was joined with later ones: the next `memory` contains its operations. */
  readonly joined?: true;
  /** For a save of the file: the last change of the memory replica that the file contained before it. */
  readonly landed?: Seq;
}

export interface JournalEntry {
  readonly change: ChangeRecord;
  readonly updates: UpdateRecord;
  /** Stored with the change; `journal` does not return it. */
  readonly answer?: AnswerRecord;
  /** Stored on their shelves with the change. */
  readonly shelved?: readonly Shelved[];
  /** The record of the document's file after the change, stored with it; `journal` does not return it. */
  readonly record?: DocumentRecord;
}

/** Changes of one document, oldest first. */
export interface Appended {
  readonly id: string;
  readonly entries: readonly JournalEntry[];
}

/** A whole document up to and including a change, in Loro's encoding. */
export interface SnapshotRecord {
  readonly seq: Seq;
  readonly form: "update" | "snapshot";
  readonly bytes: Uint8Array;
}

/** The answer that a repeated `opId` gets again. `time`: in ms, once packed the second. `asked`: a digest of the request. */
export interface AnswerRecord {
  readonly agent: string;
  readonly opId: string;
  readonly time: number;
  readonly result: unknown;
  readonly asked?: number;
}

/** The store refused a write and stored nothing of it. `full`: no space left. `failed`: any other reason. */
export class StoreError extends Error {
  readonly kind: "full" | "failed";

  constructor(kind: "full" | "failed", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.kind = kind;
  }
}

/** Resolves with the error of a refused write, or with undefined when the write is durable. */
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
 * The reason why the store refuses writes at present. `full`: no space left; writes work again once there is some.
 * `gone`: its folder is missing; writes work again when it is back. `failed`: the disk refused a write or a flush. The
 * system may then report dropped data as written, so this process writes nothing any more.
 */
export interface StoreTrouble {
  readonly kind: "full" | "gone" | "failed";
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Stores documents between runs. Reads are synchronous, and see every write of the same process whose promise
 * resolved. Each write is atomic: its promise resolves when the write is durable (I2), and rejects with a StoreError
 * when nothing of it was stored. Writes that wait at the same time are committed together.
 */
export interface Store {
  /** Set while writes are refused. */
  readonly trouble: StoreTrouble | undefined;
  /** The files that no document has. */
  readonly baselines: BaselineStore;

  documents(): DocumentRecord[];
  document(id: string): DocumentRecord | undefined;
  documentAt(path: string): DocumentRecord | undefined;
  /** Stores the record of the file. Callers need not wait: after a crash the file itself is read. */
  saveDocument(record: DocumentRecord): Promise<void>;

  /** Stores a new document in place of its path's baseline, with its changes up to the snapshot, oldest first. */
  create(record: DocumentRecord, snapshot: SnapshotRecord, ...changes: ChangeRecord[]): Promise<void>;
  /** Stores all entries or none, of one document or several. */
  append(...parts: readonly Appended[]): Promise<void>;
  /**
   * Replaces the snapshot; drops the updates that it contains, and the entries of the history that end before `keepFrom`.
   */
  compact(id: string, snapshot: SnapshotRecord, keepFrom: Seq): Promise<void>;
  /**
   * Folds the oldest unfolded changes: each run becomes one entry of the history. The runs follow one another. All
   * changes of a run of several have one splice each and ids with the same tail. Only their seq, time and hash differ.
   */
  fold(id: string, runs: readonly (readonly ChangeRecord[])[]): Promise<void>;
  /** Removes entries that were never acknowledged, from `seq` on. */
  truncate(id: string, seq: Seq): Promise<void>;

  snapshot(id: string): SnapshotRecord | undefined;
  /** Returns the journal entries after the snapshot, or only those after a change, oldest first. */
  journal(id: string, after?: Seq): JournalEntry[];
  /** Returns one change, also of several that were folded; such a change has the time of its entry. */
  change(id: string, seq: Seq): ChangeRecord | undefined;
  /** Returns the entry of the history that contains a change: that change alone, unless it was folded. */
  entry(id: string, seq: Seq): ChangeRecord | undefined;
  /** Returns the oldest stored change. */
  oldest(id: string): ChangeRecord | undefined;
  /** Returns the entries of the history, newest first, that end before `before` (default: all). */
  changes(id: string, options?: { readonly before?: Seq; readonly limit?: number }): Iterable<ChangeRecord>;
  /** Returns the oldest changes after `after` that no `fold` has seen, oldest first. */
  unfolded(id: string, after: Seq, limit: number): ChangeRecord[];
  /** Returns the newest change that `fold` has seen. */
  folded(id: string): Seq | undefined;

  /** Finds a change by its id. `last` is the newest change of its document, where the caller knows it. */
  find(changeId: string, last?: Seq): { readonly docId: string; readonly seq: Seq } | undefined;

  answer(agent: string, opId: string): AnswerRecord | undefined;
  /** Stores the answer to a request that changed no text, and its records, as one group. */
  keepAnswer(answer: AnswerRecord, ...records: readonly Shelved[]): Promise<void>;
  /** Drops answers older than `before` (milliseconds since the epoch), but not the newest `keep` ones. */
  forgetAnswers(before: number, keep: number): Promise<void>;
  /** Stores the answers given so far in less space, where they are many. */
  packAnswers(): Promise<void>;

  /** Stores all records or none, in their order. */
  shelve(...records: readonly Shelved[]): Promise<void>;
  shelved<T extends object>(shelf: Shelf<T>, id: string): T | undefined;
  /** Returns all records of a shelf, in the order of their ids. */
  shelf<T extends object>(shelf: Shelf<T>): Iterable<T>;

  /** Stores the author of a peer's operations. */
  savePeer(peer: string, author: PeerRecord): Promise<void>;
  peer(peer: string): PeerRecord | undefined;

  /** Waits for the writes under way, and refuses every later write. */
  close(): Promise<void>;
}
