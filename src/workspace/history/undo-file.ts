import type { AnswerRecord, ChangeRecord, FileEvent } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { fileResult } from "../edits/answer.ts";
import { fileAnswer } from "../edits/records.ts";
import type { EditResult } from "../edits/request.ts";
import type { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Cause, Records } from "../journal/change.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { isBy } from "./history.ts";

/** A request to undo a change of a file. */
export interface FileUndo {
  readonly workspace: GuardedWorkspace;
  readonly actor: Actor;
  readonly opId: string | undefined;
}

/** A change that is an event of its document's file. */
export type FileChange = ChangeRecord & { readonly file: FileEvent };

export function isFileChange(change: ChangeRecord): change is FileChange {
  return change.file !== undefined;
}

/**
 * Undoes the creation, deletion or renaming of a document's file, and stores the answer for a repeated `opId`. Refuses
 * to undo a creation when others have changed the document since: their text would go with the file.
 */
export async function undoFileChange(
  { workspace, actor, opId }: FileUndo,
  document: Document,
  change: FileChange,
): Promise<Outcome<EditResult>> {
  const recordsOf = (event: ChangeRecord): Records => {
    const answer = undoneAnswer(actor, opId, document, event, change);
    return answer === undefined ? {} : { answer };
  };
  const done = await undone(workspace, document, change, { undoes: change.id, recordsOf });
  return isRefusal(done) ? done : undoneResult(document, change);
}

async function undone(
  workspace: GuardedWorkspace,
  document: Document,
  { file, agent, seq }: FileChange,
  cause: Cause,
): Promise<Outcome<unknown>> {
  switch (file.kind) {
    case "create":
      return workspace.remove(document, cause, (now) => othersSince(now, agent, seq));
    case "delete":
      return workspace.restore(document.path, cause);
    case "rename":
      return workspace.rename(document, file.from, cause);
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

/** Returns the stored answer to undoing a change of a document's file by an `event`; undefined without an `opId`. */
export function undoneAnswer(
  actor: Actor,
  opId: string | undefined,
  { id, path }: Document,
  event: ChangeRecord,
  { file }: FileChange,
): AnswerRecord | undefined {
  const at = event.file?.kind === "rename" ? event.file.to : path;
  return fileAnswer(actor, opId, id, event, at, DONE[file.kind]);
}

/** Returns the result of undoing a change of a document's file. */
export function undoneResult(document: Document, { file }: FileChange): EditResult {
  return fileResult(document, document.head.id, DONE[file.kind]);
}
