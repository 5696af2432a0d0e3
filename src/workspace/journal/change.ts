import type { Pair } from "../../doc/pair.ts";
import type {
  AnswerRecord,
  BatchMark,
  Beside,
  ChangeRecord,
  DocumentRecord,
  Lacked,
  Origin,
  Seq,
  Shelved,
  StoreError,
} from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import type { JournalTransaction } from "./journal-transaction.ts";

/** Stored with a change or not at all. */
export interface Keep {
  /** So that the same `opId` gets the same answer after a crash. */
  readonly answer?: AnswerRecord;
  readonly shelved?: readonly Shelved[];
}

/** What is said of a change beside its splices. */
export interface ChangeMeta {
  readonly origin: Origin;
  readonly message?: string;
  /** The id of the change that it takes back. */
  readonly undoes?: string;
  /** Of an outside save: the last change that the file had held before. */
  readonly landed?: Seq;
  readonly beside?: Beside;
  readonly lacked?: Lacked;
  /** The batch that the change is part of. */
  readonly batch?: BatchMark;
  /** Stored with changes of other documents, all of them or none. */
  readonly together?: JournalTransaction;
  /** What is stored with the change, itself included. */
  readonly keep?: (change: ChangeRecord) => Keep;
}

/** A change that was applied; it counts once `durable` resolves. */
export interface Committed {
  readonly change: ChangeRecord;
  readonly before: Text;
  readonly after: Text;
  /** Rejects with a StoreError when nothing of the change was kept. */
  readonly durable: Promise<void>;
}

/** The store refused a change: it and all after it did not happen. */
export interface Failure {
  readonly seq: Seq;
  readonly error: StoreError;
}

/** A change that the file does not hold yet, and whose it is, by name. */
export interface UnwrittenChange {
  readonly seq: Seq;
  readonly author: string;
}

export interface DocumentParts {
  readonly record: DocumentRecord;
  readonly pair: Pair;
  /** The newest change. */
  readonly head: ChangeRecord;
  /** Changes that the file does not hold yet, oldest first. */
  readonly ahead: readonly UnwrittenChange[];
  /** Resolves once everything up to `head` is stored. */
  readonly durable: Promise<void>;
  readonly snapshotBytes: number;
}
