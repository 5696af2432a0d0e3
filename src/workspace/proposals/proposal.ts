import type { Splice } from "../../text/splice.ts";
import type { Version } from "../versions/version.ts";

/** A proposed edit as it is stored. Fields with an underscore are named as on the wire. */

export const OPERATIONS = ["append", "replace", "full_replace", "patch"] as const;
export type Operation = (typeof OPERATIONS)[number];

export const CONFIDENCES = ["low", "medium", "high"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/**
 *     pending ─┬─ approve, until nothing of it is left ──► approved
 *              ├─ reject ────────────────────────────────► rejected
 *              ├─ nothing left to do, or to do it to ────► superseded
 *              └─ too old ───────────────────────────────► expired
 */
export const STATUSES = ["pending", "approved", "rejected", "superseded", "expired"] as const;
export type ProposalStatus = (typeof STATUSES)[number];

/** Splices in the positions of one version's text, which stay right whatever happens to the document. */
export interface Anchored {
  readonly base: Version;
  readonly splices: readonly Splice[];
}

/** One approval, of all of a proposal or of some of its hunks. It counts as long as its change does. */
export interface Approval {
  readonly change: string;
  readonly user_id: string;
  readonly reviewer: string;
  readonly reviewed_at: string;
  /** What remains to be approved; no splices when that is nothing. */
  readonly left: Anchored;
}

/** Who reviewed a proposal last, and when; all null before. */
export interface Review {
  readonly user_id: string | null;
  readonly reviewer: string | null;
  /** ISO 8601. */
  readonly reviewed_at: string | null;
  /** Of a rejection. */
  readonly reason: string | null;
}

export const UNREVIEWED: Review = { user_id: null, reviewer: null, reviewed_at: null, reason: null };

/** What the proposer says of a proposal. */
export interface ProposalDetails {
  readonly field: string | null;
  readonly operation: Operation;
  /** What would be replaced: the snippet, the whole text (`full_replace`), or "". */
  readonly current_value: string;
  readonly proposed_value: string;
  readonly reasoning: string;
  readonly confidence: Confidence;
  readonly source_query: string | null;
}

export interface Proposal extends ProposalDetails, Anchored, Review {
  readonly id: string;
  readonly docId: string;
  /** Where the document was when this was stored. */
  readonly path: string;
  readonly status: ProposalStatus;
  /** ISO 8601. */
  readonly created_at: string;
  /** The identity and the name of who proposed it. */
  readonly agent_id: string;
  readonly author: string;
  readonly opId?: string;
  /** Oldest first. */
  readonly approvals: readonly Approval[];
  /** As it was proposed, or as it was last applied. */
  readonly diff: string;
}

/** What is still to be approved. */
export function leftOf({ approvals, base, splices }: Proposal): Anchored {
  return approvals.at(-1)?.left ?? { base, splices };
}

/** The proposal without approvals whose changes the store took back: those did not happen. */
export function upheld<P extends { readonly approvals: readonly A[] }, A>(
  proposal: P,
  stands: (approval: A) => boolean,
): P {
  const approvals = proposal.approvals.filter(stands);
  if (approvals.length === proposal.approvals.length) return proposal;
  return { ...proposal, ...UNREVIEWED, status: "pending" satisfies ProposalStatus, approvals };
}
