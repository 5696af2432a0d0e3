import { createHash } from "node:crypto";
import { shelfOf } from "../../store/shelf.ts";
import type { Actor } from "../access/actor.ts";
import type { DoneStep } from "../folder/file-batch.ts";
import type { FileChange } from "../folder/file-changes.ts";
import type { Plan, Planner } from "../planners/plan.ts";
import { type Version, versionOf } from "../versions/version.ts";
import type { Draft } from "./draft.ts";
import type { Aim } from "./request.ts";

/** Notes that callers attach to batches, files and changes; the daemon returns them and does nothing with them. */
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

/** One change of a file: its purpose, and its place in lines of the text before the batch. */
export interface ChangeNotes extends Notes {
  readonly changeKey?: string;
  readonly description?: string;
  readonly operation: string;
  readonly afterLine?: number;
  readonly startLine?: number;
  readonly endLine?: number;
}

/** A file of a batch: an edit of its text, or a change of the file itself. */
export type BatchFile = BatchedEdit | BatchedFileChange;

export type BatchedFileChange = FileChange & { readonly notes: FileNotes };

export interface BatchedEdit {
  readonly path: string;
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
  readonly notes: FileNotes;
  /** The form of the edit, for summaries. */
  readonly kind: string;
  readonly aim?: Aim | undefined;
  readonly plan: Planner;
  readonly changes: readonly ChangeNotes[];
}

/** Changes of several files that are made together. */
export interface BatchRequest {
  readonly notes: BatchNotes;
  readonly files: readonly BatchFile[];
  readonly onStale?: "merge" | "reject" | undefined;
  readonly ack?: "mirrored" | "durable" | undefined;
  readonly opId?: string | undefined;
  readonly message?: string | undefined;
}

/** The record of one file's part, beside its change in the history. */
export interface FilePatchRecord extends FileNotes {
  readonly filePatchId: string;
  /** Set for a change of the file itself. */
  readonly operation?: FileChange["operation"];
  readonly docId: string;
  readonly docPath: string;
  /** The id of the change in the document's history; null when nothing was left to change. */
  readonly changeId: string | null;
  /** The version after the change. */
  readonly version: Version;
  /** The version that the edit was made from; missing in records of earlier versions of the daemon. */
  readonly base?: Version;
  readonly merged: boolean;
  /** The number of places where others had changed the same words, or words beside them; both texts stay. */
  readonly conflicts: number;
  readonly applied?: Plan["applied"];
  readonly changes: readonly (ChangeNotes & { readonly changeId: string })[];
}

/** The record of a batch; its texts are in the history. */
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

/** Returns the id of the batch that an id belongs to: ids of a batch's files and changes begin with the batch's id. */
export function batchIdOf(id: string): string {
  return id.split(".", 1)[0]!;
}

/** True for an id that may be of a batch, and of no part of it. */
export function isBatchId(id: string): boolean {
  return /^bat(?:ch)?_[^.]*$/.test(id);
}

/** A batch as it is recorded, without its texts: it may wait with a preview. */
export interface BatchPlan {
  readonly notes: BatchNotes;
  readonly message: string | undefined;
  readonly files: readonly (Pick<FilePatchRecord, "filePatchId" | "docPath" | "operation" | "changes"> & {
    /** The result of a change of the file itself, once it is made. */
    readonly made?: FileOutcome;
  })[];
}

/** The result of one file's part. */
type FileOutcome = Pick<FilePatchRecord, "docId" | "changeId" | "version" | "merged" | "conflicts">;

/** True for a change of the file itself. */
export function isFileChange(file: BatchFile): file is BatchedFileChange {
  return "operation" in file;
}

/** Plans the record of a batch: the notes of the request, and an id for each file and each change. */
export function planBatch(batchId: string, { notes, files, message }: BatchRequest): BatchPlan {
  return {
    notes,
    message,
    files: files.map((file) => {
      const operation = isFileChange(file) ? file.operation : undefined;
      const filePatchId = filePatchIdOf(batchId, file.path, operation);
      return {
        filePatchId,
        ...file.notes,
        docPath: file.path,
        ...(operation !== undefined && { operation }),
        changes: isFileChange(file)
          ? []
          : file.changes.map((change, i) => ({ changeId: `${filePatchId}.${i + 1}`, ...change })),
      };
    }),
  };
}

/** Returns the id of a file's part of a batch. It tells nothing of the other parts, which a token may not read (RI62). */
export function filePatchIdOf(
  batchId: string,
  path: string,
  operation: FileChange["operation"] | "edit" = "edit",
): string {
  const part = createHash("sha256").update(`${operation} ${path}`).digest("hex");
  return `${batchId}.${part.slice(0, 12)}`;
}

/** Returns the plan of a batch whose changes of files are made; `done` has them by their files' indexes. */
export function withSteps(plan: BatchPlan, done: ReadonlyMap<number, DoneStep>): BatchPlan {
  return {
    ...plan,
    files: plan.files.map((file, i) =>
      file.operation === undefined ? file : { ...file, made: outcomeOfStep(done.get(i)!) },
    ),
  };
}

/** Returns the record of a batch whose edits were drafted, in the order of its files. */
export function batchRecord(
  batchId: string,
  { notes, files, message }: BatchPlan,
  { name: author, agent }: Actor,
  drafts: readonly Draft[],
  time: number,
): BatchRecord {
  const edited = drafts.values();
  return {
    batchId,
    ...notes,
    author,
    agent,
    time,
    ...(message !== undefined && { message }),
    files: files.map(({ made, ...file }) => ({ ...file, ...(made ?? outcomeOf(edited.next().value!)) })),
  };
}

export function outcomeOfStep({ document, change }: DoneStep): FileOutcome {
  const changed = { docId: document.id, changeId: change.id, version: versionOf(change) };
  return { ...changed, merged: false, conflicts: 0 };
}

function outcomeOf({ edit, answer: { changeId, version, merged, conflicts, applied } }: Draft) {
  const docId = edit.document.id;
  const base = edit.resolved.base.version;
  return { docId, changeId, version, base, merged, conflicts: conflicts.length, ...(applied && { applied }) };
}
