import { editsOf } from "../../workspace/batches/make-batch.ts";
import {
  type BatchFile,
  type BatchRequest,
  type ChangeNotes,
  isFileChange,
} from "../../workspace/edits/batch-record.ts";
import { namesBase } from "../../workspace/edits/request.ts";
import { contentOf, type FileChange } from "../../workspace/folder/file-changes.ts";
import { planLines } from "../../workspace/planners/lines.ts";
import { planPatch } from "../../workspace/planners/patch.ts";
import { planWrite } from "../../workspace/planners/whole.ts";
import type { ProposedFile } from "../../workspace/proposals/parts.ts";
import type { Params } from "../schemas/schemas.ts";
import { planReplacement } from "./edits.ts";

/** Returns the paths of a batch's documents, as the batch names them. */
export function pathsOf({ files }: Params<"batch.apply">): string[] {
  return files.map(({ docPath }) => docPath);
}

export function batchRequest(
  { files, onStale, ack, opId, message, thread: _thread, messageId: _id, ...notes }: Params<"batch.apply">,
  root: string,
): BatchRequest {
  return {
    files: files.map((file) => fileOf(file, root)),
    onStale,
    ack,
    opId,
    message,
    notes: given(notes),
  };
}

type File = Params<"batch.apply">["files"][number];

function fileOf(file: File, root: string): BatchFile {
  const {
    docPath: path,
    operation = "edit",
    to,
    originalSha256: sha256,
    version,
    changes,
    patch,
    match,
    replace,
    text,
    ...notes
  } = file;
  if (operation !== "edit")
    return { ...fileChangeOf({ path, operation, to, text, version, sha256 }), notes: given(notes) };
  const common = { path, version, sha256, notes: given(notes) };
  if (changes !== undefined)
    return {
      ...common,
      kind: "lines",
      aim: "places",
      plan: planLines(changes),
      changes: changes.map(notesOf),
    };
  if (patch !== undefined)
    return {
      ...common,
      kind: "patch",
      aim: "content",
      plan: planPatch(patch, match, namesBase(common), { path, root }),
      changes: [{ operation: "patch" }],
    };
  if (replace !== undefined)
    return {
      ...common,
      kind: "replace",
      aim: "content",
      plan: planReplacement(replace),
      changes: [{ operation: "replace" }],
    };
  return { ...common, kind: "write", aim: "text", plan: planWrite(text!), changes: [{ operation: "text" }] };
}

/** Returns a change of a file whose parameters were checked. */
function fileChangeOf({
  path,
  operation,
  to,
  text,
  ...named
}: {
  readonly path: string;
  readonly operation: "create" | "delete" | "rename";
  readonly to?: string | undefined;
  readonly text?: string | undefined;
  readonly version?: string | undefined;
  readonly sha256?: string | undefined;
}): FileChange {
  if (operation === "create") return { operation, path, content: contentOf(text!) };
  return operation === "rename" ? { operation, path, to: to!, ...named } : { operation, path, ...named };
}

/** Returns a change without its texts. */
function notesOf(change: NonNullable<File["changes"]>[number]): ChangeNotes {
  const { changeKey, operation, description, severity, category, tags } = change;
  const at =
    change.operation === "insert"
      ? { afterLine: change.afterLine }
      : { startLine: change.startLine, endLine: change.endLine };
  return { operation, ...given({ changeKey, description, severity, category, tags }), ...at };
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns an object without its undefined properties. */
function given<T extends object>(notes: T): Given<T> {
  return Object.fromEntries(Object.entries(notes).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Returns the files of a batch, as a proposal takes them. */
export function proposedFiles(request: BatchRequest): ProposedFile[] {
  const edits = editsOf(request).values();
  return request.files.map((file) => (isFileChange(file) ? file : edits.next().value!));
}

/** Returns a file of `proposal.create`, as a proposal takes it. */
export function proposedFile(
  { path, operation, to, version, sha256, ...forms }: NonNullable<Params<"proposal.create">["files"]>[number],
  root: string,
): ProposedFile {
  if (operation !== "edit") return fileChangeOf({ path, operation, to, text: forms.text, version, sha256 });
  const file = fileOf({ docPath: path, version, originalSha256: sha256, ...forms }, root);
  if (isFileChange(file)) return file;
  const { notes: _notes, changes: _changes, ...edit } = file;
  return edit;
}
