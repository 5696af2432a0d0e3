import { type Shelved, shelfOf } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import type { Anchored, Approval, Proposal } from "./proposal.ts";

/** Fields that may be as large as their document. */
const LARGE = ["current_value", "proposed_value", "reasoning", "source_query", "diff", "splices"] as const;
type LargeField = (typeof LARGE)[number];

/** An approval without the text of what remains. */
export interface ApprovalHead extends Omit<Approval, "left"> {
  readonly left: Pick<Anchored, "base">;
}

/** The fields that lists, limits and reviews need, in a small record of their own. */
export interface ProposalHead extends Omit<Proposal, LargeField | "approvals"> {
  readonly approvals: readonly ApprovalHead[];
  /** The size of the whole proposal, roughly, in bytes. */
  readonly bytes: number;
}

/** The large fields of a proposal, written when it is made and when it is approved. */
interface ProposalTexts extends Pick<Proposal, LargeField> {
  /** The splices that each approval left, by the approval's change. */
  readonly left: Readonly<Record<string, readonly Splice[]>>;
}

/** A proposal as schema 2 stored it: in one record. */
export type StoredProposal = ProposalHead | Proposal;

export const proposalShelf = shelfOf<StoredProposal>("proposals");
export const proposalTextShelf = shelfOf<ProposalTexts>("texts");

/** The size of a splice and of a record beside their texts, in bytes. */
const SPLICE_BYTES = 32;
const RECORD_BYTES = 1024;

export function isWhole(stored: StoredProposal): stored is Proposal {
  return "splices" in stored;
}

export function headOf(proposal: Proposal): ProposalHead {
  const head: Record<string, unknown> = { ...proposal, bytes: bytesOf(proposal) };
  for (const field of LARGE) delete head[field];
  const approvals = proposal.approvals.map(({ left: { base }, ...rest }) => ({ ...rest, left: { base } }));
  return { ...head, approvals } as unknown as ProposalHead;
}

/** Returns the records of a proposal. */
export function recordsOf(proposal: Proposal): readonly Shelved[] {
  const { id, current_value, proposed_value, reasoning, source_query, diff, splices } = proposal;
  const left = Object.fromEntries(proposal.approvals.map(({ change, left }) => [change, left.splices]));
  const texts: ProposalTexts = {
    current_value,
    proposed_value,
    reasoning,
    source_query,
    diff,
    splices,
    left,
  };
  return [
    { shelf: proposalShelf, id, record: headOf(proposal) },
    { shelf: proposalTextShelf, id, record: texts },
  ];
}

/** Joins the two records of a proposal. */
export function joined(head: ProposalHead, { left, ...large }: ProposalTexts): Proposal {
  const { bytes: _bytes, ...small } = head;
  const approvals = head.approvals.map((approval) => ({
    ...approval,
    left: { ...approval.left, splices: left[approval.change] ?? [] },
  }));
  return { ...small, ...large, approvals };
}

/** Returns the size of a proposal in the store, roughly, in bytes. */
function bytesOf({
  current_value,
  proposed_value,
  reasoning,
  source_query,
  diff,
  splices,
  approvals,
}: Proposal): number {
  const texts = [current_value, proposed_value, reasoning, source_query ?? "", diff];
  const anchored = [splices, ...approvals.map(({ left }) => left.splices)];
  return (
    RECORD_BYTES +
    texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
    anchored.reduce((sum, all) => sum + spliceBytes(all), 0)
  );
}

function spliceBytes(splices: readonly Splice[]): number {
  return splices.reduce((sum, { insert }) => sum + Buffer.byteLength(insert) + SPLICE_BYTES, 0);
}
