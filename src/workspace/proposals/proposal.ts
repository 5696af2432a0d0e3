import type { AnsweredMessage } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import type { ProposalStatus } from "../events/events.ts";
import type { Version } from "../versions/version.ts";

/** A proposed edit as the store has it. Fields with an underscore have the names of the wire. */

export const OPERATIONS = ["append", "replace", "full_replace", "patch"] as const;
export type Operation = (typeof OPERATIONS)[number];

export const CONFIDENCES = ["low", "medium", "high"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

export const STATUSES = [
  "pending",
  "approved",
  "rejected",
  "superseded",
  "expired",
] as const satisfies readonly ProposalStatus[];

/** Splices in the positions of one version's text, which stay right whatever happens to the document. */
export interface Anchored {
  readonly base: Version;
  readonly splices: readonly Splice[];
}

/** One approval, of all of a proposal or of some of its hunks. It is valid as long as its change exists. */
export interface Approval {
  readonly change: string;
  readonly userId: string;
  readonly reviewer: string;
  readonly reviewedAt: string;
  /** The part that remains to be approved; without splices when nothing remains. */
  readonly left: Anchored;
}

/** The last review of a proposal; all null before the first. */
export interface Review {
  readonly userId: string | null;
  readonly reviewer: string | null;
  /** ISO 8601. */
  readonly reviewedAt: string | null;
  /** The reason of a rejection. */
  readonly reason: string | null;
}

export const UNREVIEWED: Review = { userId: null, reviewer: null, reviewedAt: null, reason: null };

/** The proposer's description of a proposal. */
export interface ProposalDetails {
  readonly field: string | null;
  readonly operation: Operation;
  /** The text that it would replace: the snippet, the whole text (`full_replace`), or "". */
  readonly currentValue: string;
  readonly proposedValue: string;
  readonly reasoning: string;
  readonly confidence: Confidence;
  readonly sourceQuery: string | null;
}

export interface Proposal extends ProposalDetails, Anchored, Review {
  readonly id: string;
  readonly docId: string;
  /** The document's path when this was stored. */
  readonly path: string;
  readonly status: ProposalStatus;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The identity and the name of the proposer. */
  readonly agentId: string;
  readonly author: string;
  /** The message of a thread that the proposal answers. */
  readonly answers?: AnsweredMessage;
  readonly opId?: string;
  /** Oldest first. */
  readonly approvals: readonly Approval[];
  /** The diff as proposed, or as last applied. */
  readonly diff: string;
}

/** Returns the part of a proposal that is still to be approved. */
export function leftOf({ approvals, base, splices }: Proposal): Anchored {
  return approvals.at(-1)?.left ?? { base, splices };
}

/** Returns the proposal without approvals whose changes the store rolled back: those did not happen. */
export function upheld<P extends { readonly approvals: readonly A[] }, A>(
  proposal: P,
  stands: (approval: A) => boolean,
): P {
  const approvals = proposal.approvals.filter(stands);
  if (approvals.length === proposal.approvals.length) return proposal;
  return { ...proposal, ...UNREVIEWED, status: "pending" satisfies ProposalStatus, approvals };
}
