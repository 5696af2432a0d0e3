import type { ChangeRecord, Seq } from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { LosingSide } from "../conflicts/decide.ts";
import type { Document } from "../document/document.ts";
import type { Refusal } from "../outcome/refusal.ts";
import type { Plan, Planner } from "../planners/plan.ts";
import type { Version } from "../versions/version.ts";

/** One edit of one document, whatever its form. */
export interface EditRequest {
  /** The method's short name: `replace`, `patch`, …; an `append` adds at the end and needs no right to more. */
  readonly kind: string;
  readonly path: string;
  readonly plan: Planner;
  /** The base that the caller read; the newest text when neither is given. */
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
  readonly onStale?: "merge" | "reject" | undefined;
  readonly ack?: "mirrored" | "durable" | undefined;
  readonly opId?: string | undefined;
  readonly message?: string | undefined;
  /** The id of the preview that shows what this edit does. */
  readonly confirm?: string | undefined;
  /** The change that this edit undoes: refused where later edits changed the same text. */
  readonly undoes?: ChangeRecord;
  /** Where the change comes from, when that is not its author. */
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
  /** In base positions: both sides changed the same characters; both texts stay. */
  readonly conflicts: readonly Overlap[];
  readonly applied?: Plan["applied"];
  /** The proposal that the edit became, or that keeps the side of a conflict that gave way. */
  readonly proposal?: string;
  /** The text that the splices were applied to, and the base's; neither is sent. */
  readonly before: Text;
  readonly base: Text;
}

/** The part of a result that is known before the commit, and so can be stored with the change. */
export type EditAnswer = Omit<EditResult, "before" | "base" | "sha256" | "mirrored">;

/** A plan carried from its base to the newest text. */
export interface Resolved {
  readonly base: { readonly seq: Seq; readonly text: Text };
  readonly plan: Plan;
  /** In base positions. */
  readonly own: readonly Splice[];
  readonly splices: readonly Splice[];
  readonly merged: boolean;
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

/** Why an edit is refused; without an index the refusal is of all edits of the request. */
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
