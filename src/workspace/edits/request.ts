import type { ChangeRecord, Seq, Shelved } from "../../store/store.ts";
import type { Overlap } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import type { Keep } from "../journal/change.ts";
import type { Outcome, Refusal } from "../outcome/refusal.ts";
import type { Plan, Planner } from "../planners/plan.ts";
import type { Version } from "../versions/version.ts";

/** One edit of one document, whatever its form. */
export interface EditRequest {
  /** The method's short name: `replace`, `patch`, …; `append` is for what adds at the end and needs no more than that. */
  readonly kind: string;
  readonly path: string;
  readonly plan: Planner;
  /** The base that the caller saw; the newest text when neither is given. */
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
  readonly onStale?: "merge" | "reject" | undefined;
  readonly ack?: "mirrored" | "durable" | undefined;
  readonly opId?: string | undefined;
  readonly message?: string | undefined;
  readonly confirm?: string | undefined;
  /** Takes back an earlier change: refused where later edits changed the same text. */
  readonly undoes?: ChangeRecord;
  /** Decides what becomes of it where later edits changed the same characters; by default both texts stay. */
  readonly arbitrate?: (document: Document, resolved: Resolved) => Outcome<Resolved>;
  /** Records that are stored with the change, or without one when nothing was left to change. */
  readonly shelve?: (change: ChangeRecord | undefined) => readonly Shelved[];
  /** Where the change comes from, where that is not its author. */
  readonly origin?: "proposal";
}

export interface EditResult {
  /** Null when nothing was left to change. */
  readonly changeId: string | null;
  readonly path: string;
  readonly version: Version;
  /** Null for a large document whose bytes were not waited for (`ack: "durable"`). */
  readonly sha256: string | null;
  readonly summary: string;
  /** In the positions of `before`. */
  readonly splices: readonly Splice[];
  readonly durable: boolean;
  readonly mirrored: boolean;
  /** Others had changed the document since the base. */
  readonly merged: boolean;
  /** In base positions: both sides changed the same characters; both texts stay. */
  readonly conflicts: readonly Overlap[];
  readonly applied?: Plan["applied"];
  /** The proposal that the edit became, because it has to be approved first; nothing was changed. */
  readonly proposal?: string;
  /** The text that the splices were applied to, and the one that the edit was made against; not sent. */
  readonly before: Text;
  readonly base: Text;
}

/** What of a result is known before it is durable, and so can be stored with the change. */
export type Kept = Omit<EditResult, "before" | "base" | "sha256" | "mirrored">;

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

/** An edit that can be made as long as nothing waits. */
export interface Ready {
  readonly document: Document;
  readonly request: EditRequest;
  readonly resolved: Resolved;
}

/** Why edits are not made: which of them, or all of them when there is no index. */
export interface RefusedEdit {
  readonly index?: number;
  readonly refusal: Refusal;
}

/** What is said of edits that are made together. */
export interface TogetherOptions {
  /** Names the batch in each change. */
  readonly batch?: string;
  /** What is stored with the changes, asked for once all of them are known. */
  readonly keep?: (made: readonly Made[], actor: Actor) => Keep;
}

/** One of several edits, applied and about to be stored. */
export interface Made {
  readonly docId: string;
  /** Undefined when nothing was left to change. */
  readonly change: ChangeRecord | undefined;
  readonly baseSeq: Seq;
  readonly kept: Kept;
}
