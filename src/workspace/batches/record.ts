import { shelfOf } from "../../store/store.ts";
import type { Made, TogetherOptions } from "../edits/request.ts";
import type { Plan, Planner } from "../planners/plan.ts";
import type { Version } from "../versions/version.ts";

/** What callers note of batches, files and changes; given back as it was given, and of no effect. */
export interface Notes {
  readonly severity?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
}

export interface BatchNotes extends Notes {
  readonly batchKey?: string;
  readonly batchLabel?: string;
}

export interface FileNotes extends Notes {
  readonly fileKey?: string;
  readonly fileLabel?: string;
}

/** One change of a file: what it is for, and where it was made, by lines of the text before the batch. */
export interface ChangeNotes extends Notes {
  readonly changeKey?: string;
  readonly description?: string;
  readonly operation: string;
  readonly afterLine?: number;
  readonly startLine?: number;
  readonly endLine?: number;
}

export interface BatchFile {
  readonly docPath: string;
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
  readonly notes: FileNotes;
  /** The form that the edit has, for summaries. */
  readonly kind: string;
  readonly plan: Planner;
  readonly changes: readonly ChangeNotes[];
}

/** Several files' changes, made together. */
export interface BatchRequest {
  readonly notes: BatchNotes;
  readonly files: readonly BatchFile[];
  readonly onStale?: "merge" | "reject" | undefined;
  readonly ack?: "mirrored" | "durable" | undefined;
  readonly opId?: string | undefined;
  readonly message?: string | undefined;
}

/** What is kept of one file's part, beside its change in the history. */
export interface FilePatchRecord extends FileNotes {
  readonly filePatchId: string;
  readonly docId: string;
  readonly docPath: string;
  /** Its change in the document's history; null when nothing was left to change. */
  readonly changeId: string | null;
  /** The version that it left. */
  readonly version: Version;
  readonly merged: boolean;
  /** In how many places others had changed the same characters; both texts stay. */
  readonly conflicts: number;
  readonly applied?: Plan["applied"];
  readonly changes: readonly (ChangeNotes & { readonly changeId: string })[];
}

/** What is kept of a batch; the texts are in the history. */
export interface BatchRecord extends BatchNotes {
  readonly batchId: string;
  readonly author: string;
  readonly agent: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly message?: string;
  readonly files: readonly FilePatchRecord[];
}

export const batchShelf = shelfOf<BatchRecord>("batches");

/** Ids of a batch's files and changes begin with its own, so that what is kept under that finds them. */
export function batchIdOf(id: string): string {
  return id.split(".", 1)[0]!;
}

/**
 * What is stored with a batch's changes: its record, and its answer where it may be asked for again. Holds on to
 * nothing of the request's texts, so that it may wait with what is only shown.
 */
export function keeping(
  batchId: string,
  { notes, files, opId, message }: BatchRequest,
  now: () => number,
): TogetherOptions {
  const parts = files.map((file, i) => ({
    filePatchId: `${batchId}.${i + 1}`,
    ...file.notes,
    docPath: file.docPath,
    changes: file.changes.map((change, j) => ({ changeId: `${batchId}.${i + 1}.${j + 1}`, ...change })),
  }));
  return {
    batch: batchId,
    keep: (made, { name: author, agent }) => {
      const record: BatchRecord = {
        batchId,
        ...notes,
        author,
        agent,
        time: now(),
        ...(message !== undefined && { message }),
        files: parts.map((part, i) => ({ ...part, ...madeOf(made[i]!) })),
      };
      const { time } = record;
      return {
        shelved: [{ shelf: batchShelf, id: batchId, record }],
        ...(opId !== undefined && { answer: { agent, opId, time, result: { batchId } } }),
      };
    },
  };
}

function madeOf({ docId, kept: { changeId, version, merged, conflicts, applied } }: Made) {
  return { docId, changeId, version, merged, conflicts: conflicts.length, ...(applied && { applied }) };
}
