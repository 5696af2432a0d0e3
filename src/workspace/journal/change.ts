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
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { digestNow } from "../versions/digest.ts";
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
  /** The id of the change that this one undoes. */
  readonly undoes?: string;
  readonly beside?: Beside;
  readonly lacked?: Lacked;
  /** The batch that the change is part of. */
  readonly batch?: BatchMark;
}

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
  { id, time, author, agent }: Pick<ChangeRecord, "id" | "time" | "author" | "agent">,
  { origin, message, undoes, beside, lacked, batch }: ChangeMeta,
): DraftedChange {
  const { bom, before, after } = texts;
  const sha256 = digestNow({ bom, text: after });
  const change: ChangeRecord = {
    seq: head.seq + 1,
    id,
    author,
    agent,
    origin,
    time,
    ...(message !== undefined && { message }),
    ...(undoes !== undefined && { undoes }),
    ...(beside && { beside }),
    ...(lacked && { lacked }),
    ...(batch && { batch }),
    splices,
    removed: before.removed(splices),
    ...(sha256 !== undefined && { sha256 }),
  };
  return { change, before, after };
}

/** How a drafted change goes into the store. */
export interface CommitOptions {
  readonly records?: Records;
  /** Changes of other documents that the store commits together with this one. */
  readonly transaction?: JournalTransaction | undefined;
}

/** The refusal of a change by the store: that change and all later ones did not happen. */
export interface Failure {
  readonly seq: Seq;
  readonly error: StoreError;
}

/** A change that the file does not hold yet, and the name of its author. */
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
