import type { ChangeRecord, FileEvent } from "../../store/store.ts";
import { Text } from "../../text/text.ts";
import type { BatchNotes, BatchRecord, FilePatchRecord } from "../edits/batch-record.ts";
import { versionOf } from "../versions/version.ts";

/** One file's part of a batch, as a client sees it. */
export interface FileView extends Omit<FilePatchRecord, "filePatchId" | "docId" | "merged" | "conflicts"> {
  /** Null for a change that no request for a batch described; the next two are then missing. */
  readonly filePatchId: string | null;
  readonly merged?: boolean;
  readonly conflicts?: number;
  /** The document's present path. */
  readonly path: string;
  /** Null when the texts are no longer stored. */
  readonly diff: string | null;
  /** True when the file holds the change. */
  readonly mirrored: boolean;
}

/** A batch, a part of one, or a change of no batch. */
export interface ChangeView extends BatchNotes {
  readonly batchId: string | null;
  readonly author: string;
  /** ISO 8601. */
  readonly time: string;
  readonly message?: string;
  readonly files: readonly FileView[];
}

/** The parts of a file's view that depend on the moment. */
export type State = Pick<FileView, "path" | "diff" | "mirrored">;

/** Returns the texts before and after a change; a created file had none before, and a deleted one has none after. */
export function textsAround(
  file: FileEvent | undefined,
  before: Text | undefined,
  after: Text | undefined,
): [Text | undefined, Text | undefined] {
  if (file?.kind === "create") return [Text.empty, after];
  return file?.kind === "delete" ? [after, Text.empty] : [before, after];
}

/** Returns the part of a batch that an id names: a file's part, or that part with one of its changes. */
export function partOf({ files }: BatchRecord, id: string): readonly FilePatchRecord[] {
  const file = files.find(({ filePatchId }) => id === filePatchId || id.startsWith(`${filePatchId}.`));
  if (file === undefined || file.filePatchId === id) return file === undefined ? [] : [file];
  const changes = file.changes.filter(({ changeId }) => changeId === id);
  return changes.length === 0 ? [] : [{ ...file, changes }];
}

export function fileView({ docId: _, ...file }: FilePatchRecord, { path, diff, mirrored }: State): FileView {
  return { ...file, path, diff, mirrored };
}

export function viewOf({ agent: _, ...record }: BatchRecord, files: readonly FileView[]): ChangeView {
  return { ...record, time: new Date(record.time).toISOString(), files };
}

/** Returns the view of changes of the history, of one batch or of none; each has its state now. At least one. */
export function historyView(
  changes: readonly { readonly change: ChangeRecord; readonly state: State }[],
): ChangeView {
  const { batch, author, message, time } = changes[0]!.change;
  return {
    batchId: batch?.id ?? null,
    author,
    time: new Date(time).toISOString(),
    ...(message !== undefined && { message }),
    files: changes.map(({ change, state }) => ({
      filePatchId: null,
      ...(batch !== undefined && change.file !== undefined && { operation: change.file.kind }),
      docPath: state.path,
      changeId: change.id,
      version: versionOf(change),
      changes: [],
      ...state,
    })),
  };
}

export function isSame(a: FileView, b: FileView): boolean {
  return a.filePatchId === b.filePatchId && a.changeId === b.changeId;
}
