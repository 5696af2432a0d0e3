import type { Shelved } from "../../store/shelf.ts";
import type { BatchMark, ChangeRecord, Lacked, Seq } from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import type { MergedEdits } from "../../text/merge/merge-edits.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { LosingSide } from "../conflicts/decide.ts";
import type { Document } from "../document/document.ts";
import type { Refusal } from "../outcome/refusal.ts";
import type { Plan, Planner } from "../planners/plan.ts";
import type { Version } from "../versions/version.ts";

/**
 * The evidence for the place of an edit: text that it quotes, positions in the base, or the whole text or view that it
 * was made from. Only quoted text shows the place in every version.
 */
export type Aim = "content" | "places" | "text" | "view";

/** A version that means the newest one, with any text. */
export const LATEST = "latest";

/** Returns true for an edit that names the text that it was made from. */
export function namesBase({ version, sha256 }: Pick<EditRequest, "version" | "sha256">): boolean {
  return sha256 !== undefined || (version !== undefined && version !== LATEST);
}

/** One edit of one document, in any form. */
export interface EditRequest {
  /** The method's short name: `replace`, `patch`, …; an `append` adds at the end and needs no right to more. */
  readonly kind: string;
  readonly path: string;
  readonly plan: Planner;
  /**
   * The evidence for the edit's place. An edit without it, as at the end, and without a base is made from the newest
   * text.
   */
  readonly aim?: Aim | undefined;
  /** The base that the caller read. Without both, it is the text that the caller's session has seen. */
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
  readonly onStale?: "merge" | "reject" | undefined;
  readonly ack?: "mirrored" | "durable" | undefined;
  readonly opId?: string | undefined;
  readonly message?: string | undefined;
  /** The id of the preview that shows the effect of this edit. */
  readonly confirm?: string | undefined;
  /** The change that this edit undoes: refused where later edits changed the same text. */
  readonly undoes?: ChangeRecord;
  /** The ids of older changes that it undoes, too. */
  readonly alsoUndoes?: readonly string[];
  /** The batch of the edit, when the batch has other changes, too. */
  readonly batch?: BatchMark;
  /** Returns further records to store with the change; `text` is the text after it. */
  readonly noting?: (made: { readonly seq: Seq; readonly text: Text }) => readonly Shelved[];
  /** Edits of others that this one removes although its author may not have seen them. */
  readonly lacked?: Lacked | undefined;
  /** The origin of the change, when it is not `agent`. */
  readonly origin?: "proposal";
}

export interface EditResult {
  /** Null when nothing was left to change. */
  readonly changeId: string | null;
  readonly path: string;
  readonly version: Version;
  /** Null for a large document whose bytes the caller did not wait for (`ack: "durable"`). */
  readonly sha256: string | null;
  readonly summary: string;
  /** In the positions of `before`. */
  readonly splices: readonly Splice[];
  readonly durable: boolean;
  readonly mirrored: boolean;
  /** True when others changed the document since the base. */
  readonly merged: boolean;
  /** In base positions: both sides changed the same words, or words beside each other; both texts stay. */
  readonly conflicts: readonly Overlap[];
  readonly applied?: Plan["applied"];
  /** The version that the edit was made from; missing in answers that an earlier version of the daemon stored. */
  readonly baseVersion?: Version;
  /** The proposal that the edit became, or that has the side of a conflict that gave way. */
  readonly proposal?: string;
  /** The text that the splices were applied to, and the base's; neither is sent. */
  readonly before: Text;
  readonly base: Text;
}

/** The part of a result that is known before the commit, and so can be stored with the change. */
export type EditAnswer = Omit<EditResult, "before" | "base" | "sha256" | "mirrored">;

/** A plan carried from its base to the newest text. */
export interface Resolved {
  readonly base: { readonly seq: Seq; readonly version: Version; readonly text: Text };
  readonly plan: Plan;
  /** In base positions. */
  readonly own: readonly Splice[];
  readonly splices: readonly Splice[];
  readonly merged: boolean;
  /** The meeting of the plan with the changes since the base. */
  readonly merge: Omit<MergedEdits, "splices">;
  /** All places to report: the merge's overlaps and its close places. */
  readonly conflicts: readonly Overlap[];
}

/** An edit resolved against its document; valid until the next `await`. */
export interface ResolvedEdit {
  readonly document: Document;
  readonly request: EditRequest;
  readonly resolved: Resolved;
  /** The side of a conflict that gave way, when one did. */
  readonly losing?: LosingSide;
}

/** The refusal of an edit; without an index, of all edits of the request. */
export interface RefusedEdit {
  readonly index?: number;
  readonly refusal: Refusal;
}

/** Every reason why none of several edits is made. */
export interface RefusedEdits {
  readonly refused: readonly RefusedEdit[];
}

export function isRefused<T extends object>(outcome: T | RefusedEdits): outcome is RefusedEdits {
  return "refused" in outcome;
}
