import { setImmediate } from "node:timers/promises";
import { PROPOSAL_PAGE_BYTES } from "../../work/bounds.ts";
import type { Actor } from "../access/actor.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import type { Proposal, ProposalStatus } from "./proposal.ts";
import type { ProposalHead } from "./record.ts";
import { unknown } from "./refusals.ts";
import type { ProposalRepository } from "./repository.ts";
import type { ShownProposal } from "./show.ts";

export interface ProposalQuery {
  readonly path?: string | undefined;
  readonly status?: ProposalStatus | undefined;
  readonly limit?: number | undefined;
  /** The id of a proposal: only older ones are listed. */
  readonly before?: string | undefined;
}

export interface ProposalPage {
  readonly proposals: readonly ShownProposal[];
  /** There may be older ones. */
  readonly more: boolean;
}

interface Looking {
  /** True of a pending proposal that has expired. */
  readonly isOver: (head: Pick<Proposal, "status" | "created_at">) => boolean;
  readonly get: (id: string) => Promise<Outcome<ShownProposal>>;
}

const LISTED = 200;
/** Heads that a list goes through before others get a turn. */
const HEADS_A_TURN = 100;

/**
 * Proposals that an actor may read, newest first. Heads tell which are looked at: no more of those that fit the
 * query than `limit`, and no more than a page has room for, but one in any case.
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
    if (n % HEADS_A_TURN === 0) await setImmediate(); // others get a turn
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

/** Where those begin that are older than one of them. */
function placeOf(
  shelf: ProposalRepository,
  { rights }: Actor,
  before: string,
  heads: readonly ProposalHead[],
): Outcome<number> {
  const at = heads.findIndex(({ id }) => id === before);
  return at >= 0 && rights.allows(shelf.pathOf(heads[at]!), "read") ? at + 1 : unknown(before);
}

/** False for a proposal that is no answer to a query for sure, as its head tells. */
function mayFit(
  shelf: ProposalRepository,
  { rights }: Actor,
  stored: ProposalHead,
  { path, status }: ProposalQuery,
  isOver: Looking["isOver"],
): boolean {
  const own = shelf.pathOf(stored);
  if ((path !== undefined && path !== own) || !rights.allows(own, "read")) return false;
  if (status === undefined || stored.status === status) return true;
  const head = shelf.uphold(stored);
  if (head.status !== "pending") return head.status === status;
  return status === "pending" || status === "superseded" || (status === "expired" && isOver(head));
}
