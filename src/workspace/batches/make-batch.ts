import { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import {
  type BatchedEdit,
  type BatchedFileChange,
  type BatchRequest,
  isFileChange,
  planBatch,
  withSteps,
} from "../edits/batch-record.ts";
import type { AppliedEdits, Editor } from "../edits/editor.ts";
import type { PreviewedFile } from "../edits/preview-file.ts";
import type { Preview, StoredPreview } from "../edits/previews.ts";
import { type EditRequest, isRefused, type RefusedEdit, type RefusedEdits } from "../edits/request.ts";
import type { FileBatches } from "../folder/file-batch.ts";
import { type CheckedFileChange, checkFileChanges, stepsOf } from "../folder/file-changes.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal } from "../outcome/refusal.ts";

/** Makes the edits and the changes of files of a batch: all of them or none (I13). */
export class BatchMaker {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #files: FileBatches;

  constructor(workspace: Workspace, editor: Editor, files: FileBatches) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#files = files;
  }

  /** The results of the batch's edits. */
  async make(actor: Actor, request: BatchRequest, batchId: string): Promise<AppliedEdits> {
    const plan = planBatch(batchId, request);
    const { opId } = request;
    const requests = editsOf(request);
    const changes = fileChangesOf(request);
    if (changes.length === 0)
      return this.#editor.apply(actor, requests, { opId, batch: { id: batchId, plan } });
    const checked = await this.#checked(actor, request);
    if (isRefused(checked)) return checked;
    const message = messageOf(request);
    const batch = { id: batchId, size: requests.length + changes.length };
    const steps = stepsOf(checked.changes, { batch, ...(message !== undefined && { message }) });
    const { changed } = placesOf(request);
    const result = await this.#files.run(actor, steps, async (done, ended) => {
      const moved = new Map(done.map(({ step, document }) => [step.path, document.path]));
      const byFile = new Map(done.map((one) => [changed[one.step.at]!, one]));
      const applied = await this.#editor.apply(
        actor,
        requests.map((one) => ({ ...one, path: moved.get(one.path) ?? one.path, batch })),
        { opId, batch: { id: batchId, plan: withSteps(plan, byFile) }, shelved: ended },
      );
      return isRefused(applied) ? applied.refused[0]!.refusal : applied;
    });
    if ("made" in result) return result.made;
    const { refused, at } = result;
    const index = at === undefined ? undefined : changed[steps[at]!.at]!;
    return { refused: [{ refusal: refused, ...(index !== undefined && { index }) }] };
  }

  /** Stores a preview of a batch; changes nothing. */
  async preview(actor: Actor, request: BatchRequest, id: string): Promise<Preview | RefusedEdits> {
    const plan = planBatch(id, request);
    const edits = editsOf(request);
    const changes = fileChangesOf(request);
    if (changes.length === 0) return this.#editor.preview(actor, edits, { batch: { id, plan } });
    const { changed, edited } = placesOf(request);
    const guarded = new GuardedWorkspace(this.#workspace, actor, "propose");
    const checking = { workspace: this.#workspace, guarded, level: "propose" } as const;
    const checked = await checkFileChanges(
      checking,
      changes,
      edits.map(({ path }) => path),
    );
    const refused = checked.flatMap((one, i) =>
      isRefusal(one) ? [{ refusal: one, index: changed[i]! }] : [],
    );
    if (refused.length > 0) return { refused };
    const fit = checked.flatMap((one) => (isRefusal(one) ? [] : [one]));
    const shown = { ...request, opId: undefined, files: atVersions(request, fit) };
    const batch = { id, plan, request: shown };
    const made = await this.#editor.preview(actor, edits, { batch }, fit.map(previewedChange));
    return isRefused(made) ? { refused: inFiles(made, edited) } : made;
  }

  /** Checks the changes of files, and the edits against the texts before them; with every reason of a refusal. */
  async #checked(actor: Actor, request: BatchRequest) {
    const guarded = new GuardedWorkspace(this.#workspace, actor, "read");
    const { changed, edited } = placesOf(request);
    const edits = editsOf(request);
    const checking = { workspace: this.#workspace, guarded, level: "write" } as const;
    const paths = edits.map(({ path }) => path);
    const checked = await checkFileChanges(checking, fileChangesOf(request), paths);
    const refused: RefusedEdit[] = checked.flatMap((one, i) =>
      isRefusal(one) ? [{ refusal: one, index: changed[i]! }] : [],
    );
    const prepared = this.#editor.prepare(await this.#editor.open(actor, edits));
    if (isRefused(prepared)) refused.push(...inFiles(prepared, edited));
    if (refused.length > 0) return { refused };
    return { changes: checked.flatMap((one) => (isRefusal(one) ? [] : [one])) };
  }
}

/** Returns the files of a batch, with deletions and renames of the documents' present versions. */
function atVersions(request: BatchRequest, fit: readonly CheckedFileChange[]): BatchRequest["files"] {
  const versions = new Map(fit.map(({ change, version }) => [change, version]));
  return request.files.map((file) =>
    isFileChange(file) && file.operation !== "create" ? { ...file, version: versions.get(file) } : file,
  );
}

/** Returns a change of a file as a preview shows it. */
function previewedChange({ change, document, version = "" }: CheckedFileChange): {
  readonly file: PreviewedFile;
  readonly before: Text;
} {
  const { path, operation } = change;
  const before = document?.text ?? Text.empty;
  const insert = operation === "create" ? change.content.text.toString() : "";
  const splices = operation === "rename" ? [] : [{ from: 0, to: before.chars, insert }];
  const warnings = operation === "rename" ? [`moves the file to ${change.to}`] : [`${operation}s the file`];
  return { file: { path, docId: document?.id ?? "", version, splices, warnings }, before };
}

/** Returns the batch of a preview that also changes files: exactly the shown changes, or a refusal. */
export function requestOfPreview({ requests, options: { batch } }: StoredPreview): BatchRequest | undefined {
  if (batch?.request === undefined) return undefined;
  const replays = requests.values();
  const files = batch.request.files.map((file) => {
    if (isFileChange(file)) return file;
    const { path, plan, version } = replays.next().value!;
    return { ...file, path, plan, version, aim: undefined, sha256: undefined };
  });
  return { ...batch.request, files, onStale: "reject" };
}

/** Returns the edits of a batch as requests, in their order. */
export function editsOf({ files, onStale = "reject", ack, message, notes }: BatchRequest): EditRequest[] {
  return files.filter(isEdit).map(({ kind, aim, path, plan, version, sha256, notes: { fileLabel } }) => {
    const why = message ?? fileLabel ?? notes.batchLabel;
    return { kind, aim, path, plan, version, sha256, onStale, ack, message: why && shortMessage(why) };
  });
}

/** Returns the changes of files of a batch, in their order. */
function fileChangesOf({ files }: Pick<BatchRequest, "files">): BatchedFileChange[] {
  return files.filter(isFileChange);
}

/** Returns refusals of the edits of a batch with the indexes of their files. */
function inFiles({ refused }: RefusedEdits, edited: readonly number[]): RefusedEdit[] {
  return refused.map(({ refusal, index }) => ({
    refusal,
    ...(index !== undefined && { index: edited[index]! }),
  }));
}

/** Returns the indexes of the edits, and of the changes of files, among the files of a batch. */
function placesOf({ files }: BatchRequest): { readonly edited: number[]; readonly changed: number[] } {
  const all = [...files.keys()];
  return {
    edited: all.filter((i) => isEdit(files[i]!)),
    changed: all.filter((i) => isFileChange(files[i]!)),
  };
}

function isEdit(file: BatchRequest["files"][number]): file is BatchedEdit {
  return !isFileChange(file);
}

function messageOf({ message, notes }: BatchRequest): string | undefined {
  const why = message ?? notes.batchLabel;
  return why && shortMessage(why);
}
