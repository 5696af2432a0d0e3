import type { Pair } from "../../doc/pair.ts";
import type { Image } from "../../mirror/files.ts";
import type { Decoded } from "../../mirror/format.ts";
import type { Shelved } from "../../store/shelf.ts";
import type {
  AnswerRecord,
  BatchMark,
  Beside,
  ChangeRecord,
  DocumentRecord,
  FileEvent,
  Lacked,
  Origin,
  PatchMark,
  Seq,
  StoreError,
} from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Authorship } from "../access/actor.ts";
import { digestNow } from "../versions/digest.ts";
import type { FileText } from "../versions/file-text.ts";
import type { JournalTransaction } from "./journal-transaction.ts";

/** Records that the store commits together with a change, or not at all. */
export interface Records {
  /** The answer to the change's `opId`, which gets the same answer after a crash. */
  readonly answer?: AnswerRecord;
  readonly shelved?: readonly Shelved[];
}

/** The facts of a change beside its splices and its author. */
export interface ChangeMeta {
  readonly origin: Origin;
  readonly message?: string;
  readonly file?: FileEvent;
  /** The id of the change that this one undoes. */
  readonly undoes?: string;
  readonly alsoUndoes?: readonly string[];
  readonly beside?: Beside;
  readonly lacked?: Lacked;
  /** The batch that the change is part of. */
  readonly batch?: BatchMark;
  /** The places where the hunks of the change's patch landed. */
  readonly patch?: PatchMark;
  /** For a change that was made on another machine. */
  readonly made?: Made;
}

/** The facts of a save beside its text. */
export interface SaveFacts {
  /** Edits that the save removed, perhaps on purpose, and that stay removed. */
  readonly lacked: Lacked | undefined;
  /** The splices that make the save of the file's text before. */
  readonly found: readonly Splice[] | undefined;
}

/** The record of a change on another machine. */
export type Made = Pick<ChangeRecord, "id" | "time"> & { readonly machine: string };

/** The cause of an event of a file: the changes that it undoes, its batch, and its proposal. */
export type Cause = Pick<ChangeMeta, "undoes" | "alsoUndoes" | "batch" | "message" | "made"> & {
  /** The origin, where the undone changes do not decide it. */
  readonly origin?: "proposal" | "remote";
  /** Returns the records that the store commits with the event of an existing document's file. */
  readonly recordsOf?: (event: ChangeRecord) => Records;
};

/** A change before it is applied: valid while its document's head is the change before it. */
export interface DraftedChange {
  readonly change: ChangeRecord;
  readonly before: Text;
  readonly after: Text;
}

/** Drafts the change that follows `head`: splices in the positions of `before`, which make it `after`. */
export function draftChange(
  head: Pick<ChangeRecord, "seq">,
  texts: { readonly bom: boolean; readonly before: Text; readonly after: Text },
  splices: readonly Splice[],
  { id: ownId, time: now, ...authorship }: Pick<ChangeRecord, "id" | "time"> & Authorship,
  {
    origin,
    message = authorship.message,
    file,
    undoes,
    alsoUndoes,
    beside,
    lacked,
    batch,
    patch,
    made,
  }: ChangeMeta,
): DraftedChange {
  const { bom, before, after } = texts;
  const sha256 = digestNow({ bom, text: after }, before);
  const { id, time } = made ?? { id: ownId, time: now };
  const change: ChangeRecord = {
    seq: head.seq + 1,
    id,
    ...authorship,
    origin,
    time,
    ...(message !== undefined && { message }),
    ...(file && { file }),
    ...(undoes !== undefined && { undoes }),
    ...(alsoUndoes !== undefined && alsoUndoes.length > 0 && { alsoUndoes }),
    ...(beside && { beside }),
    ...(lacked && { lacked }),
    ...(batch && { batch }),
    ...(patch && { patch }),
    ...(made && { machine: made.machine }),
    splices,
    removed: before.removed(splices),
    ...(sha256 !== undefined && { sha256 }),
  };
  return { change, before, after };
}

/** The records and the transaction with which the store commits a drafted change. */
export interface CommitOptions {
  readonly records?: Records | undefined;
  /** Changes of other documents that the store commits together with this one. */
  readonly transaction?: JournalTransaction | undefined;
  /** True when a caller waits until the file has the change: its new version is staged beside the flush. */
  readonly awaitsFile?: boolean;
  /** The places where the change met changes of others, in positions of `base`; listeners get these places. */
  readonly met?: { readonly conflicts: readonly Overlap[]; readonly base: Text } | undefined;
}

/** The refusal of a change by the store: that change and all later ones did not happen. */
export interface Failure {
  readonly seq: Seq;
  readonly error: StoreError;
}

/** A file's content at one look. */
export interface FileOnDisk {
  readonly content: Decoded;
  readonly image: Image;
}

/** A change that the file does not hold yet, and the name of its author. */
export interface UnwrittenChange {
  readonly seq: Seq;
  readonly author: string;
}

export interface DocumentParts {
  /** True for a document that was made now, of a file that was created. */
  readonly isCreated?: boolean;
  readonly record: DocumentRecord;
  /** The file that was at the path as the document was loaded; that of the record when left out. */
  readonly found?: Image | undefined;
  readonly pair: Pair;
  /** The newest change. */
  readonly head: ChangeRecord;
  /** Changes that the file does not hold yet, oldest first. */
  readonly ahead: readonly UnwrittenChange[];
  /** The text that the file holds; that after `head` when left out. */
  readonly held?: FileText | undefined;
  /** True for a file that a power cut damaged: until the daemon writes it, the file holds no version whole. */
  readonly isDamaged?: boolean;
  /** Resolves once everything up to `head` is stored. */
  readonly durable: Promise<void>;
  /** The size of the stored snapshot; 0 for one that the next rest should replace. */
  readonly snapshotBytes: number;
  /** The size of the stored updates after the snapshot. */
  readonly journalBytes: number;
}
