import { type Shelved, shelfOf } from "../../store/shelf.ts";
import type { Splice } from "../../text/splice.ts";
import type { Anchored, Approval, Left, MadeChange, Part, Proposal } from "./proposal.ts";

/** Fields that may be as large as their documents. */
const LARGE = ["reasoning", "sourceQuery"] as const;
const LARGE_IN_PART = ["currentValue", "proposedValue", "diff", "splices"] as const;
type PartTexts = Pick<Part, (typeof LARGE_IN_PART)[number]>;

export type PartHead = Omit<Part, keyof PartTexts>;
export type ApprovalHead = Omit<Approval, "left">;

/** The fields that lists, limits and reviews need, in a small record of their own. */
export interface ProposalHead extends Omit<Proposal, (typeof LARGE)[number] | "parts" | "approvals"> {
  readonly parts: readonly PartHead[];
  readonly approvals: readonly ApprovalHead[];
  /** The size of the whole proposal, roughly, in bytes. */
  readonly bytes: number;
}

/** A record in the store: fields that `STORED_NAMES` names have that name there. */
type Stored = Readonly<Record<string, unknown>>;

export const proposalShelf = shelfOf<Stored>("proposals");
export const proposalTextShelf = shelfOf<Stored>("texts");

/**
 * The stored form. The first part's fields are in the proposal's own record, as before there were several; `more` has
 * the other parts. An approval's `change` and `left` are the first change and the version after it; `changes` names all
 * of several, or one of another document than the part's.
 */
interface StoredHead extends Omit<ProposalHead, "parts" | "approvals">, PartHead {
  readonly more?: readonly PartHead[];
  readonly approvals: readonly StoredApproval[];
}

interface StoredApproval extends Omit<ApprovalHead, "changes"> {
  readonly change: string;
  readonly left: Pick<Anchored, "base">;
  readonly changes?: readonly MadeChange[];
}

interface StoredTexts extends Pick<Proposal, (typeof LARGE)[number]>, PartTexts {
  readonly more?: readonly PartTexts[];
  /** The splices that each approval left of an only part, by the approval's change. */
  readonly left: Readonly<Record<string, readonly Splice[]>>;
  /** The remains of several parts after each approval. */
  readonly rest?: Readonly<Record<string, readonly Left[]>>;
}

/** A proposal as schema 2 stored it: in one record. */
interface WholeRecord extends Omit<StoredHead, "approvals" | "more">, Omit<StoredTexts, "left" | "more"> {
  readonly approvals: readonly (Omit<StoredApproval, "left"> & { readonly left: Anchored })[];
}

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
/** The lists in a record whose elements have such names, too. */
const NESTED = new Set(["approvals", "more"]);

/** The size of a splice and of a record beside their texts, in bytes. */
const SPLICE_BYTES = 32;
const RECORD_BYTES = 1024;

/** Returns true for a proposal as schema 2 stored it: in one record. */
export function isWhole(stored: Stored): boolean {
  return "splices" in stored;
}

/** Reads the head of a stored proposal. */
export function readHead(stored: Stored): ProposalHead {
  if (isWhole(stored)) return headOf(ofWhole(fromStore<WholeRecord>(stored)));
  const { docId, path, to, operation, base, more = [], approvals, ...head } = fromStore<StoredHead>(stored);
  const first = { docId, path, ...(to !== undefined && { to }), operation, base };
  return { ...head, parts: [first, ...more], approvals: approvals.map((one) => approvalOf(one, docId)) };
}

/** Reads a stored proposal; `texts` is the record of its texts, where it has one. */
export function readProposal(stored: Stored, texts: Stored | undefined): Proposal | undefined {
  if (isWhole(stored)) return ofWhole(fromStore<WholeRecord>(stored));
  if (texts === undefined) return undefined;
  const { bytes: _bytes, parts, approvals, ...head } = readHead(stored);
  const { reasoning, sourceQuery, left, rest = {}, more = [], ...first } = fromStore<StoredTexts>(texts);
  const all = [first, ...more];
  return {
    ...head,
    reasoning,
    sourceQuery,
    parts: parts.map((part, i) => ({ ...part, ...all[i]! })),
    approvals: approvals.map((approval) => {
      const { change, version } = approval.changes[0]!;
      return { ...approval, left: rest[change] ?? leftOf(version, left[change] ?? []) };
    }),
  };
}

function ofWhole(stored: WholeRecord): Proposal {
  const { docId, path, operation, base, splices, currentValue, proposedValue, diff, approvals, ...rest } =
    stored;
  return {
    ...rest,
    parts: [{ docId, path, operation, base, splices, currentValue, proposedValue, diff }],
    approvals: approvals.map(({ left, ...approval }) => ({
      ...approvalOf({ ...approval, left }, docId),
      left: leftOf(left.base, left.splices),
    })),
  };
}

/** Returns the remains of an only part after an approval. */
function leftOf(base: string, splices: readonly Splice[]): readonly Left[] {
  return splices.length === 0 ? [] : [{ part: 0, base, splices }];
}

function approvalOf({ change, left, changes, ...approval }: StoredApproval, docId: string): ApprovalHead {
  return { ...approval, changes: changes ?? [{ docId, change, version: left.base }] };
}

export function headOf(proposal: Proposal): ProposalHead {
  const { reasoning: _reasoning, sourceQuery: _query, parts, approvals, ...head } = proposal;
  return {
    ...head,
    parts: parts.map(partHeadOf),
    approvals: approvals.map(({ left: _left, ...approval }) => approval),
    bytes: bytesOf(proposal),
  };
}

function partHeadOf({ docId, path, to, operation, base }: Part): PartHead {
  return { docId, path, ...(to !== undefined && { to }), operation, base };
}

function textsOf({ currentValue, proposedValue, diff, splices }: Part): PartTexts {
  return { currentValue, proposedValue, diff, splices };
}

/** Returns the records of a proposal. */
export function recordsOf(proposal: Proposal): readonly Shelved[] {
  const { id, reasoning, sourceQuery, parts, approvals } = proposal;
  const [first, ...more] = parts as [Part, ...Part[]];
  const { parts: _parts, ...head } = headOf(proposal);
  const isOnly = more.length === 0;
  const stored: StoredHead = {
    ...head,
    ...partHeadOf(first),
    ...(!isOnly && { more: more.map(partHeadOf) }),
    approvals: approvals.map(({ left: _left, changes, ...approval }) => {
      const { change, docId, version: base } = changes[0]!;
      const isOfPart = isOnly && changes.length === 1 && docId === first.docId;
      return { ...approval, change, left: { base }, ...(!isOfPart && { changes }) };
    }),
  };
  const leftBy = approvals.map(({ changes, left }) => [changes[0]!.change, left] as const);
  const texts: StoredTexts = {
    reasoning,
    sourceQuery,
    ...textsOf(first),
    ...(!isOnly && { more: more.map(textsOf) }),
    left: isOnly ? Object.fromEntries(leftBy.map(([change, left]) => [change, left[0]?.splices ?? []])) : {},
    ...(!isOnly && { rest: Object.fromEntries(leftBy) }),
  };
  return [
    { shelf: proposalShelf, id, record: toStore(stored) },
    { shelf: proposalTextShelf, id, record: toStore(texts) },
  ];
}

function toStore(value: object): Stored {
  return renamed(value, STORED_NAMES);
}

function fromStore<T>(stored: Stored): T {
  return renamed(stored, DOMAIN_NAMES) as T;
}

/** Returns a record with other names of its fields, and of the fields of its nested records. */
function renamed(value: object, names: Readonly<Record<string, string>>): Stored {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      Object.hasOwn(names, name) ? names[name] : name,
      NESTED.has(name) ? (field as object[]).map((nested) => renamed(nested, names)) : field,
    ]),
  );
}

/** Returns the size of a proposal in the store, roughly, in bytes. */
function bytesOf({ reasoning, sourceQuery, parts, approvals }: Proposal): number {
  const texts = [reasoning, sourceQuery ?? ""];
  for (const { currentValue, proposedValue, diff } of parts) texts.push(currentValue, proposedValue, diff);
  const anchored = [...parts, ...approvals.flatMap(({ left }) => left)];
  return (
    RECORD_BYTES * parts.length +
    texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
    anchored.reduce((sum, { splices }) => sum + spliceBytes(splices), 0)
  );
}

function spliceBytes(splices: readonly Splice[]): number {
  return splices.reduce((sum, { insert }) => sum + Buffer.byteLength(insert) + SPLICE_BYTES, 0);
}
