import type { AnsweredMessage } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import type { ProposalStatus } from "../events/events.ts";
import type { Version } from "../versions/version.ts";

/** A proposal as the store has it: changes of one or more files that wait for approval. */

export const EDIT_OPERATIONS = ["append", "replace", "full_replace", "patch"] as const;
export type EditOperation = (typeof EDIT_OPERATIONS)[number];

/** The operations of a part: edits of a text, or a change of the file itself. */
export const OPERATIONS = [...EDIT_OPERATIONS, "create", "delete", "rename"] as const;
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

/** Splices in the positions of one version's text, which stay right after every change of the document. */
export interface Anchored {
  readonly base: Version;
  readonly splices: readonly Splice[];
}

/** The change of one file by a proposal. The base of a file that is to be created is "". */
export interface Part extends Anchored {
  /** "" for a file that is to be created. */
  readonly docId: string;
  /** The path of the document when this was stored, or of the file to create. */
  readonly path: string;
  /** The new path, for a rename. */
  readonly to?: string;
  readonly operation: Operation;
  /** The text that it would replace: the snippet, the whole text (`full_replace`, `delete`), or "". */
  readonly currentValue: string;
  /** The new text, or the diff of a patch. */
  readonly proposedValue: string;
  /** The diff as proposed, or as last applied. */
  readonly diff: string;
}

/** The rest of a part that an approval left. */
export interface Left extends Anchored {
  /** The index of the part. */
  readonly part: number;
}

/** A change that an approval made in the history of a document. */
export interface MadeChange {
  readonly docId: string;
  readonly change: string;
  /** The version after the change. */
  readonly version: Version;
}

/** One approval, of all of a proposal or of some of its hunks. It is valid as long as its changes exist. */
export interface Approval {
  readonly changes: readonly MadeChange[];
  /** The batch of the changes, if there are several or a file changed. */
  readonly batch?: string;
  readonly userId: string;
  readonly reviewer: string;
  readonly reviewedAt: string;
  /** The changes that still wait for approval. */
  readonly left: readonly Left[];
}

/** The last review of a proposal; all null before the first. */
export interface Review {
  readonly userId: string | null;
  readonly reviewer: string | null;
  /** ISO 8601. */
  readonly reviewedAt: string | null;
  /** The reason of a rejection. */
  readonly reason: string | null;
  /** True for a rejection by the author; older records lack it. */
  readonly withdrawn?: boolean;
}

export const UNREVIEWED: Review = {
  userId: null,
  reviewer: null,
  reviewedAt: null,
  reason: null,
  withdrawn: false,
};

/** The proposer's description of a proposal. */
export interface ProposalDetails {
  readonly field: string | null;
  readonly reasoning: string;
  readonly confidence: Confidence;
  readonly sourceQuery: string | null;
}

export interface Proposal extends ProposalDetails, Review {
  readonly id: string;
  /** At least one. */
  readonly parts: readonly Part[];
  readonly status: ProposalStatus;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The identity and the name of the proposer. */
  readonly agentId: string;
  readonly author: string;
  /** The name of the machine where it was made; absent for this machine. */
  readonly machine?: string;
  /** The message of a thread that the proposal answers. */
  readonly answers?: AnsweredMessage;
  readonly opId?: string;
  /** A short digest of the request with the opId. */
  readonly asked?: number;
  /** Oldest first. */
  readonly approvals: readonly Approval[];
}

/** A part that is still to be approved, with the rest that is left of it. */
export interface OpenPart {
  readonly index: number;
  readonly part: Part;
  /** The edit as it was proposed. */
  readonly first: Anchored;
}

/** Returns the parts of a proposal that are still to be approved. */
export function openParts({ approvals, parts }: Pick<Proposal, "approvals" | "parts">): readonly OpenPart[] {
  const left = approvals.at(-1)?.left;
  if (left === undefined) return parts.map((part, index) => ({ index, part, first: part }));
  return left.map(({ part: index, ...anchored }) => {
    const first = parts[index]!;
    return { index, part: { ...first, ...anchored }, first };
  });
}

/** True for a proposal that an agent of this machine made; agents of other machines may have the same identity. */
export function isMadeBy(
  proposal: Pick<Proposal, "agentId" | "machine"> | undefined,
  agent: string,
): boolean {
  return proposal?.agentId === agent && proposal.machine === undefined;
}

/** True for a part that edits a text. */
export function isEdit({ operation }: Pick<Part, "operation">): boolean {
  return (EDIT_OPERATIONS as readonly Operation[]).includes(operation);
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
