import { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { openTogether } from "../edits/open.ts";
import { prepareEdits } from "../edits/prepare.ts";
import {
  type EditRequest,
  isRefused,
  type RefusedEdit,
  type RefusedEdits,
  type ResolvedEdit,
} from "../edits/request.ts";
import {
  type CheckedFileChange,
  checkFileChanges,
  type FileChange,
  renameDiff,
} from "../folder/file-changes.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isRefusal } from "../outcome/refusal.ts";
import { versionOf } from "../versions/version.ts";
import { describeEdit } from "./describe.ts";
import type { Anchored, Part } from "./proposal.ts";
import { nothingToDo } from "./refusals.ts";
import { diffOf, fileDiff } from "./show.ts";

/** A change to propose: an edit, or a change of the file itself. */
export type ProposedFile = EditRequest | FileChange;

interface ProposedParts {
  readonly parts: readonly Part[];
  readonly edits: readonly ResolvedEdit[];
  /** The documents whose versions the parts are based on. */
  readonly documents: readonly Document[];
}

/**
 * Resolves changes that an actor may propose, strictly against their bases, and returns a part for each that changes
 * anything. Refused with every reason.
 */
export async function partsOf(
  workspace: Workspace,
  actor: Actor,
  files: readonly ProposedFile[],
): Promise<ProposedParts | RefusedEdits> {
  const guarded = new GuardedWorkspace(workspace, actor, "propose");
  const requests = files.filter(isEditRequest);
  const changes = files.filter((file) => !isEditRequest(file)) as FileChange[];
  const checking = { workspace, guarded, level: "propose" } as const;
  const paths = requests.map(({ path }) => path);
  const checked = await checkFileChanges(checking, changes, paths);
  const { maxFileBytes } = workspace.limits;
  const opened = await openTogether(guarded, requests);
  const prepared = prepareEdits(opened, { maxFileBytes });
  const refused: RefusedEdit[] = [];
  for (const [at, change] of checked.entries())
    if (isRefusal(change)) refused.push({ refusal: change, index: files.indexOf(changes[at]!) });
  if (isRefused(prepared))
    for (const { refusal, index } of prepared.refused)
      refused.push({ refusal, ...(index !== undefined && { index: files.indexOf(requests[index]!) }) });
  if (refused.length > 0 || isRefused(prepared)) return { refused };
  const fit = checked.flatMap((one) => (isRefusal(one) ? [] : [one]));
  const edits = prepared.edits.filter(({ resolved }) => resolved.splices.length > 0);
  const parts = [
    ...edits.map((edit) => editPart(edit, describeEdit(edit.request, edit.resolved))),
    ...fit.map(filePart),
  ];
  if (parts.length === 0) return { refused: [{ refusal: nothingToDo(paths.join(", ")) }] };
  const documents = [...edits, ...fit].flatMap(({ document }) => document ?? []);
  return { parts, edits, documents };
}

function isEditRequest(file: ProposedFile): file is EditRequest {
  return "plan" in file;
}

/** Returns the part of an edit, anchored to the version that it was made against. */
export function editPart(
  { document, resolved }: ResolvedEdit,
  described: Pick<Part, "operation" | "currentValue" | "proposedValue">,
): Part {
  const { seq, text } = resolved.base;
  const anchored = { base: versionOf(document.versions.change(seq)!), splices: resolved.own };
  return anchoredPart(document, text, anchored, described);
}

/** Returns the part of a side of a conflict that gave way; `text` is that of its base. */
export function losingPart(document: Document, text: Text, anchored: Anchored): Part {
  const { diff } = diffOf({ now: text, splices: anchored.splices }, document.path);
  const described = { operation: "patch", currentValue: "", proposedValue: diff } as const;
  return anchoredPart(document, text, anchored, described);
}

function anchoredPart(
  { id: docId, path }: Document,
  base: Text,
  anchored: Anchored,
  described: Pick<Part, "operation" | "currentValue" | "proposedValue">,
): Part {
  const { diff } = diffOf({ now: base, splices: anchored.splices }, path);
  return { docId, path, ...described, ...anchored, diff };
}

function filePart({ change, document }: CheckedFileChange): Part {
  const { path, operation } = change;
  const common = { operation, currentValue: "", proposedValue: "", splices: [] };
  if (operation === "create") {
    const { bom, text } = change.content;
    const diff = fileDiff({ before: Text.empty, after: text }, path);
    return { ...common, docId: "", path, base: "", proposedValue: `${bom ? "\ufeff" : ""}${text}`, diff };
  }
  const { id: docId, version: base, text } = document!;
  const at = { ...common, docId, path: document!.path, base };
  if (operation === "rename") return { ...at, to: change.to, diff: renameDiff(document!.path, change.to) };
  return { ...at, diff: fileDiff({ before: text, after: Text.empty }, document!.path) };
}
