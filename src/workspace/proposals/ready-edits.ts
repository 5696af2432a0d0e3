import type { BatchMark } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import type { Editor } from "../edits/editor.ts";
import type { OpenedEdits } from "../edits/open.ts";
import type { EditRequest, ResolvedEdit } from "../edits/request.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome, type Refusal } from "../outcome/refusal.ts";
import { type Choice, choose } from "./choice.ts";
import type { ChosenPart } from "./chosen-parts.ts";
import { editOn } from "./part-now.ts";
import type { Part, Proposal } from "./proposal.ts";
import { conflictsOf } from "./rebase.ts";
import * as refusals from "./refusals.ts";
import { refuseShrinking } from "./shrinks.ts";

/** The edits that an approval makes, and how. */
export interface EditsToMake {
  readonly author: Actor;
  readonly proposal: Proposal;
  readonly edits: readonly ChosenPart[];
  readonly pathOf: (part: Part) => string;
  readonly batch: BatchMark | undefined;
  readonly ack: EditRequest["ack"];
  readonly confirm: string | undefined;
}

/** An edit that can be made. */
export interface ReadyEdit {
  readonly edit: ResolvedEdit;
  readonly choice: Choice;
}

/** Edits that can be made, and the indexes of parts with nothing left to do; valid until the next `await`. */
export interface ReadyEdits {
  readonly ready: readonly ReadyEdit[];
  readonly superseded: readonly number[];
}

/** Opens the documents of an approval's edits; valid until the next `await`. */
export function openReady(editor: Editor, making: EditsToMake): Promise<OpenedEdits> {
  return editor.open(
    making.author,
    making.edits.map((chosen) => requestOf(making, chosen)),
  );
}

/**
 * Carries each edit of an approval to the newest text. Refused with every reason where one cannot be made, or `unfit`
 * names a file that cannot be changed. It does not wait: another change could come before its caller commits the edits.
 */
export function readyEdits(
  editor: Editor,
  making: EditsToMake,
  { requests, documents }: OpenedEdits,
  unfit: readonly { readonly path: string; readonly refusal: Refusal }[] = [],
): Outcome<ReadyEdits> {
  const { proposal, edits } = making;
  const isOnly = proposal.parts.length === 1;
  const ready: ReadyEdit[] = [];
  const superseded: number[] = [];
  const refused = [...unfit];
  for (const [i, chosen] of edits.entries()) {
    const document = documents[i]!;
    const one = isRefusal(document) ? document : readyEdit(making, chosen, requests[i]!, document);
    if (one === "superseded") superseded.push(chosen.index);
    else if (!isRefusal(one)) {
      const checked = editor.check(one.edit);
      if (isRefusal(checked)) refused.push({ path: requests[i]!.path, refusal: checked });
      else ready.push(one);
    } else if (isOnly || one.code === "CONFIRMATION_REQUIRED") return one;
    else refused.push({ path: requests[i]!.path, refusal: one });
  }
  if (refused.length > 0) return isOnly ? refused[0]!.refusal : refusals.unfitParts(proposal.id, refused);
  return { ready, superseded };
}

function readyEdit(
  { proposal, confirm }: EditsToMake,
  chosen: ChosenPart,
  request: EditRequest,
  document: Document,
): Outcome<ReadyEdit> | "superseded" {
  const { id } = proposal;
  const { part, version } = chosen;
  const { rebased, superseded, refusal } = editOn({ ...chosen, path: document.path }, document, id);
  if (refusal !== undefined) return refusal;
  const isGone = superseded === "gone" && proposal.parts.length > 1;
  if (superseded !== undefined && !isGone) return "superseded";
  const conflicts = conflictsOf(rebased!);
  if (conflicts.length > 0) return refusals.overlapping(id, part, conflicts);
  if (version !== undefined && version !== document.version)
    return refusals.documentMoved(id, version, document);
  const choice = choose(id, document, rebased!, chosen);
  if (isRefusal(choice)) return choice;
  const shrinks = refuseShrinking({ id, part }, document, choice, confirm);
  return shrinks ?? { edit: resolvedEdit(request, document, choice), choice };
}

/** Returns the message of a change that an approval makes. */
export function messageOf({ reasoning }: Pick<Proposal, "reasoning">): string {
  return shortMessage(reasoning.trim().replace(/\s+/g, " "));
}

/** Returns the edit that approving a part makes; its splices are known once the document is open. */
function requestOf({ proposal, pathOf, batch, ack }: EditsToMake, { part }: ChosenPart): EditRequest {
  const message = messageOf(proposal);
  const common = {
    kind: "proposal",
    origin: "proposal",
    plan: () => ({ splices: [] }),
    message,
    ack,
  } as const;
  return { ...common, path: pathOf(part), ...(batch && { batch }) };
}

/** Returns an edit of a document's newest text, which was merged before. */
function resolvedEdit(request: EditRequest, document: Document, { chosen, met }: Choice): ResolvedEdit {
  const base = { seq: met.seq, version: met.baseVersion, text: met.base };
  const merge = { ours: chosen, theirs: [], overlaps: [], close: met.close };
  const made = { plan: { splices: chosen }, own: chosen, splices: chosen };
  const resolved = { ...made, base, merged: false, merge, conflicts: met.close };
  return { document, request, resolved };
}
