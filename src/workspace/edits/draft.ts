import type { ChangeRecord } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import type { ChangeMeta, DraftedChange } from "../journal/change.ts";
import { answerOf } from "./answer.ts";
import type { EditAnswer, ResolvedEdit } from "./request.ts";

/** A resolved edit, the change that it becomes, and its answer; valid until the next `await`. */
export interface Draft {
  readonly edit: ResolvedEdit;
  /** Undefined when nothing is left to change. */
  readonly drafted: DraftedChange | undefined;
  readonly answer: EditAnswer;
}

/** Drafts the change of each edit; each of several names the batch and the number of its changes. */
export function draftEdits(
  actor: Actor,
  edits: readonly ResolvedEdit[],
  batchId: string | undefined,
): Draft[] {
  const size = edits.filter(isChanging).length;
  const batch = batchId === undefined ? undefined : { id: batchId, size };
  return edits.map((edit) => {
    const drafted = isChanging(edit)
      ? edit.document.draft(actor, edit.resolved.splices, metaOf(edit, batch))
      : undefined;
    return { edit, drafted, answer: answerOf(edit, drafted?.change) };
  });
}

/** The text that an edit leaves. */
export function textAfter({ edit, drafted }: Draft): Text {
  return drafted?.after ?? edit.document.text;
}

function isChanging({ resolved }: ResolvedEdit): boolean {
  return resolved.splices.length > 0;
}

function metaOf({ request, resolved: { plan } }: ResolvedEdit, whole: ChangeRecord["batch"]): ChangeMeta {
  const batch = request.batch ?? whole;
  const { undoes, alsoUndoes, origin = "agent", message, lacked } = request;
  return {
    origin: undoes === undefined ? origin : "undo",
    ...(undoes && { undoes: undoes.id }),
    ...(alsoUndoes && { alsoUndoes }),
    ...(message !== undefined && { message }),
    ...(batch && { batch }),
    ...(lacked && { lacked }),
    ...(plan.applied && { patch: plan.applied }),
  };
}
