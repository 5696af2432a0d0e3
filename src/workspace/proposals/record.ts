import { type Shelved, shelfOf } from "../../store/shelf.ts";
import type { Splice } from "../../text/splice.ts";
import type { Anchored, Approval, Proposal } from "./proposal.ts";

/** Fields that may be as large as their document. */
const LARGE = ["currentValue", "proposedValue", "reasoning", "sourceQuery", "diff", "splices"] as const;
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

/** A record in the store: fields that `STORED_NAMES` names have that name there. */
type Stored = Readonly<Record<string, unknown>>;

export const proposalShelf = shelfOf<Stored>("proposals");
export const proposalTextShelf = shelfOf<Stored>("texts");

/** The names of fields in the store, which every version reads. */
const STORED_NAMES: Readonly<Record<string, string>> = {
  agentId: "agent_id",
  createdAt: "created_at",
  userId: "user_id",
  reviewedAt: "reviewed_at",
  currentValue: "current_value",
  proposedValue: "proposed_value",
  sourceQuery: "source_query",
};
const DOMAIN_NAMES = Object.fromEntries(
  Object.entries(STORED_NAMES).map(([domain, stored]) => [stored, domain]),
);

/** The size of a splice and of a record beside their texts, in bytes. */
const SPLICE_BYTES = 32;
const RECORD_BYTES = 1024;

/** Returns true for a proposal as schema 2 stored it: in one record. */
export function isWhole(stored: Stored): boolean {
  return "splices" in stored;
}

/** Reads the head of a stored proposal. */
export function readHead(stored: Stored): ProposalHead {
  return isWhole(stored) ? headOf(fromStore<Proposal>(stored)) : fromStore<ProposalHead>(stored);
}

/** Reads a stored proposal; `texts` is the record of its texts, where it has one. */
export function readProposal(stored: Stored, texts: Stored | undefined): Proposal | undefined {
  if (isWhole(stored)) return fromStore<Proposal>(stored);
  if (texts === undefined) return undefined;
  const { bytes: _bytes, ...head } = fromStore<ProposalHead>(stored);
  const { left, ...large } = fromStore<ProposalTexts>(texts);
  const approvals = head.approvals.map((approval) => ({
    ...approval,
    left: { ...approval.left, splices: left[approval.change] ?? [] },
  }));
  return { ...head, ...large, approvals };
}

export function headOf(proposal: Proposal): ProposalHead {
  const head: Record<string, unknown> = { ...proposal, bytes: bytesOf(proposal) };
  for (const field of LARGE) delete head[field];
  const approvals = proposal.approvals.map(({ left: { base }, ...rest }) => ({ ...rest, left: { base } }));
  return { ...head, approvals } as unknown as ProposalHead;
}

/** Returns the records of a proposal. */
export function recordsOf(proposal: Proposal): readonly Shelved[] {
  const { id, currentValue, proposedValue, reasoning, sourceQuery, diff, splices } = proposal;
  const left = Object.fromEntries(proposal.approvals.map(({ change, left }) => [change, left.splices]));
  const texts: ProposalTexts = { currentValue, proposedValue, reasoning, sourceQuery, diff, splices, left };
  return [
    { shelf: proposalShelf, id, record: toStore(headOf(proposal)) },
    { shelf: proposalTextShelf, id, record: toStore(texts) },
  ];
}

function toStore(value: object): Stored {
  return renamed(value, STORED_NAMES);
}

function fromStore<T>(stored: Stored): T {
  return renamed(stored, DOMAIN_NAMES) as T;
}

/** Returns a record with other names of its fields, and of those of its approvals. */
function renamed(value: object, names: Readonly<Record<string, string>>): Stored {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      Object.hasOwn(names, name) ? names[name] : name,
      name === "approvals" ? (field as object[]).map((approval) => renamed(approval, names)) : field,
    ]),
  );
}

/** Returns the size of a proposal in the store, roughly, in bytes. */
function bytesOf({
  currentValue,
  proposedValue,
  reasoning,
  sourceQuery,
  diff,
  splices,
  approvals,
}: Proposal): number {
  const texts = [currentValue, proposedValue, reasoning, sourceQuery ?? "", diff];
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
