import type { ChangeRecord, FileEvent } from "../../store/store.ts";
import type { Document } from "../document/document.ts";
import { fileResult } from "../edits/answer.ts";
import type { EditResult } from "../edits/request.ts";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { isBy } from "./history.ts";

/** A change that is an event of its document's file. */
export type FileChange = ChangeRecord & { readonly file: FileEvent };

export function isFileChange(change: ChangeRecord): change is FileChange {
  return change.file !== undefined;
}

/**
 * Undoes the creation, deletion or renaming of a document's file. Refuses to undo a creation when others have changed
 * the document since: their text would go with the file.
 */
export async function undoFileChange(
  workspace: GuardedWorkspace,
  document: Document,
  change: FileChange,
): Promise<Outcome<EditResult>> {
  const done = await undone(workspace, document, change);
  return isRefusal(done) ? done : undoneResult(document, change);
}

async function undone(
  workspace: GuardedWorkspace,
  document: Document,
  { id, file, agent, seq }: FileChange,
): Promise<Outcome<unknown>> {
  switch (file.kind) {
    case "create":
      return othersSince(document, agent, seq) ?? workspace.remove(document, { undoes: id });
    case "delete":
      return workspace.restore(document.path, { undoes: id });
    case "rename":
      return workspace.rename(document, file.from, { undoes: id });
  }
}

export function othersSince(document: Document, agent: string, seq: number): Refusal | undefined {
  for (let at = document.head.seq; at > seq; at--) {
    const change = document.versions.change(at);
    if (change === undefined || isBy(change, agent) || change.undoes !== undefined) continue;
    return new Refusal("CONFLICT", `${document.path} was changed by ${change.author} since it was created`, {
      suggestion: "Delete the document if you want their text gone, too; its history stays.",
    });
  }
  return undefined;
}

const DONE: Record<FileEvent["kind"], string> = {
  create: "removed the file again",
  delete: "restored the file",
  rename: "gave the file its former name",
};

/** Returns the result of undoing a change of a document's file. */
export function undoneResult(document: Document, { file }: FileChange): EditResult {
  return fileResult(document, document.head.id, DONE[file.kind]);
}
