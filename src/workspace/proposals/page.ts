import { setImmediate } from "node:timers/promises";
import { PROPOSAL_PAGE_BYTES } from "../../work/bounds.ts";
import type { Actor } from "../access/actor.ts";
import type { ProposalStatus } from "../events/events.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import type { Proposal } from "./proposal.ts";
import type { ProposalHead } from "./record.ts";
import { unknown } from "./refusals.ts";
import type { ProposalRepository } from "./repository.ts";
import type { ShownProposal } from "./show.ts";

export interface ProposalQuery {
  readonly path?: string | undefined;
  readonly status?: ProposalStatus | undefined;
  /** True for proposals by the caller's identity alone. */
  readonly own?: true | undefined;
  readonly limit?: number | undefined;
  /** The id of a proposal: the page has only older ones. */
  readonly before?: string | undefined;
}

export interface ProposalPage {
  readonly proposals: readonly ShownProposal[];
  /** True when there may be older ones. */
  readonly more: boolean;
}

interface Looking {
  /** Returns true for a pending proposal that has expired. */
  readonly isOver: (head: Pick<Proposal, "status" | "createdAt">) => boolean;
  readonly get: (id: string) => Promise<Outcome<ShownProposal>>;
}

const LISTED = 200;
/** Heads that a list reads before other clients get a turn (I14). */
const HEADS_A_TURN = 100;

/**
 * Lists proposals that an actor may read, newest first. It chooses by the heads: up to `limit` proposals that fit the
 * query, and up to a page's bytes, but at least one.
 */
export async function listPage(
  shelf: ProposalRepository,
  actor: Actor,
  { limit = LISTED, ...query }: ProposalQuery,
  { isOver, get }: Looking,
): Promise<Outcome<ProposalPage>> {
  const heads = shelf.heads();
  const from = query.before === undefined ? 0 : placeOf(shelf, actor, query.before, heads);
  if (isRefusal(from)) return from;
  const proposals: ShownProposal[] = [];
  let bytes = 0;
  for (const [n, head] of heads.slice(from).entries()) {
    if (n % HEADS_A_TURN === 0) await setImmediate(); // other clients get a turn (I14)
    if (!mayFit(shelf, actor, head, query, isOver)) continue;
    const isFull = proposals.length > 0 && bytes + head.bytes > PROPOSAL_PAGE_BYTES;
    if (isFull || proposals.length === limit) return { proposals, more: true };
    await setImmediate();
    const proposal = await get(head.id);
    if (isRefusal(proposal) || (query.status !== undefined && proposal.status !== query.status)) continue;
    proposals.push(proposal);
    bytes += head.bytes;
  }
  return { proposals, more: false };
}

/** Returns the index of the first proposal that is older than `before`. */
function placeOf(
  shelf: ProposalRepository,
  { rights }: Actor,
  before: string,
  heads: readonly ProposalHead[],
): Outcome<number> {
  const at = heads.findIndex(({ id }) => id === before);
  const isReadable = at >= 0 && shelf.pathsOf(heads[at]!).every((path) => rights.allows(path, "read"));
  return isReadable ? at + 1 : unknown(before);
}

/** Returns false for a proposal whose head shows that the query does not ask for it. */
function mayFit(
  shelf: ProposalRepository,
  { agent, rights }: Actor,
  stored: ProposalHead,
  { path, status, own }: ProposalQuery,
  isOver: Looking["isOver"],
): boolean {
  if (own && stored.agentId !== agent) return false;
  const paths = shelf.pathsOf(stored);
  if (path !== undefined && !paths.includes(path)) return false;
  if (!paths.every((one) => rights.allows(one, "read"))) return false;
  if (status === undefined || stored.status === status) return true;
  const head = shelf.uphold(stored);
  if (head.status !== "pending") return head.status === status;
  return status === "pending" || status === "superseded" || (status === "expired" && isOver(head));
}
