import { CLOSED_PROPOSALS, CLOSED_PROPOSALS_MS, PENDING_PROPOSALS } from "../../work/bounds.ts";
import { tokenNameOf } from "../access/actor.ts";
import { Quota } from "../access/quota.ts";
import type { Refusal } from "../outcome/refusal.ts";
import type { ProposalHead } from "./record.ts";

/** Owns the heads of all stored proposals, and counts them and their bytes by token. */
export class ProposalHeads {
  /** In the order of their creation. */
  readonly #all = new Map<string, ProposalHead>();
  /** The time at which each was closed, in milliseconds since the epoch, in the order of these times. */
  readonly #closedAt = new Map<string, number>();
  readonly #pending = new Quota(PENDING_PROPOSALS, {
    things: "pending proposals",
    advice: "Have some of them approved or rejected first.",
  });
  readonly #closed = new Quota(CLOSED_PROPOSALS, {
    things: "closed proposals",
    advice: "The oldest ones go by themselves.",
  });

  constructor(stored: readonly ProposalHead[]) {
    const made = [...stored].sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
    for (const head of made) this.#all.set(head.id, head);
    for (const head of made.sort((a, b) => endOf(a) - endOf(b))) this.note(head);
  }

  get(id: string): ProposalHead | undefined {
    return this.#all.get(id);
  }

  /** Oldest first. */
  all(): Iterable<ProposalHead> {
    return this.#all.values();
  }

  /** Returns why a token may have no more pending proposals of this size; undefined when it may. */
  refusal(agent: string, bytes: number): Refusal | undefined {
    return this.#pending.refusal(tokenNameOf(agent), "", bytes);
  }

  /** Counts a proposal that is about to be stored; refuses it where its token has too many. */
  take(head: ProposalHead): Refusal | undefined {
    return this.#pending.admit(holderOf(head), head.id, head.bytes);
  }

  /** Uncounts a proposal that could not be stored. */
  release(id: string): void {
    this.#pending.release(id);
  }

  /** Notes the stored head of a proposal. */
  note(head: ProposalHead): void {
    const { id, bytes, status } = head;
    this.#all.set(id, head);
    this.#closedAt.delete(id);
    const [counted, other] =
      status === "pending" ? [this.#pending, this.#closed] : [this.#closed, this.#pending];
    if (status !== "pending") this.#closedAt.set(id, endOf(head));
    other.release(id);
    counted.count(holderOf(head), id, bytes);
  }

  /**
   * Drops proposals that were closed long before `now`, and the first closed ones of tokens with too many; returns
   * their ids.
   */
  dropClosed(now: number): string[] {
    const dropped: string[] = [];
    for (const [id, closedAt] of this.#closedAt) {
      if (now - closedAt < CLOSED_PROPOSALS_MS && !this.#closed.isOver(holderOf(this.#all.get(id)!)))
        continue;
      this.#closed.release(id);
      this.#closedAt.delete(id);
      this.#all.delete(id);
      dropped.push(id);
    }
    return dropped;
  }
}

/** Returns who has room for a proposal: its token, apart from the tokens of other machines. */
function holderOf({ agentId, machine }: ProposalHead): string {
  return machine === undefined ? tokenNameOf(agentId) : `${machine}/${tokenNameOf(agentId)}`;
}

function endOf({ reviewedAt, createdAt }: ProposalHead): number {
  return Date.parse(reviewedAt ?? createdAt);
}
