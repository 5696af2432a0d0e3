import type { DocPath } from "../../mirror/path.ts";
import type { Shelved } from "../../store/shelf.ts";
import { type Seq, type Store, storeFailure } from "../../store/store.ts";
import type { ProposalStatus } from "../events/events.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { Outcome, Refusal } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import { seqOf } from "../versions/version.ts";
import { ProposalHeads } from "./heads.ts";
import { isMadeBy, type Proposal, type Review, upheld } from "./proposal.ts";
import {
  type ApprovalHead,
  headOf,
  isWhole,
  type PartHead,
  type ProposalHead,
  proposalShelf,
  proposalTextShelf,
  readHead,
  readProposal,
  recordsOf,
} from "./record.ts";

/** The shelves that hold the records of a proposal. */
const SHELVES_OF_ONE = [proposalShelf, proposalTextShelf];

/**
 * Owns the stored proposals: every change of one goes through here. It reads all heads once and holds them in memory;
 * it reads a proposal's texts when a client reads it.
 */
export class ProposalRepository {
  readonly #workspace: Workspace;
  #known: ProposalHeads | undefined;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  head(id: string): ProposalHead | undefined {
    const head = this.#heads.get(id);
    return head && this.uphold(head);
  }

  /** Returns the heads as they are stored, newest first; `uphold` returns the valid form of each. */
  heads(): ProposalHead[] {
    return [...this.#heads.all()].reverse();
  }

  /** Returns the first proposal of an agent with an `opId`. */
  first(agent: string, opId: string): Proposal | undefined {
    for (const head of this.#heads.all())
      if (head.opId === opId && isMadeBy(head, agent)) return this.find(head.id);
    return undefined;
  }

  find(id: string): Proposal | undefined {
    const stored = this.#store.shelved(proposalShelf, id);
    const proposal = stored && readProposal(stored, this.#store.shelved(proposalTextShelf, id));
    return proposal && this.uphold(proposal);
  }

  /** Returns the oldest version of a document that a pending proposal is based on. */
  oldestBase(docId: string): Seq | undefined {
    let oldest: Seq | undefined;
    for (const head of this.#heads.all()) {
      if (head.status !== "pending") continue;
      for (const part of head.parts) {
        const seq = part.docId === docId ? seqOf(part.base) : undefined;
        if (seq !== undefined && seq < (oldest ?? Number.POSITIVE_INFINITY)) oldest = seq;
      }
    }
    return oldest;
  }

  /** Returns the present paths of a proposal's documents, and the paths of files that it would create or rename. */
  pathsOf({ parts }: { readonly parts: readonly PartHead[] }): string[] {
    const paths = parts.flatMap((part) =>
      part.to === undefined ? this.pathOf(part) : [this.pathOf(part), part.to],
    );
    return [...new Set(paths)];
  }

  /** Returns the present or last path of the document of a part; of a file to create, its path. */
  pathOf({ docId, path }: Pick<PartHead, "docId" | "path">): string {
    if (docId === "") return path;
    if (this.#workspace.loadedAt(path as DocPath)?.id === docId) return path;
    for (const document of this.#workspace.loaded) if (document.id === docId) return document.path;
    return this.#store.document(docId)?.path ?? path;
  }

  /** Returns why a token may have no more pending proposals of this size; undefined when it may. */
  refusal(agent: string, bytes: number): Refusal | undefined {
    return this.#heads.refusal(agent, bytes);
  }

  /** Stores a new proposal with what its author notes, and announces it; refuses it where its token has too many. */
  async add(
    proposal: Proposal,
    noting: (id: string) => readonly Shelved[] = () => [],
  ): Promise<Outcome<Proposal>> {
    const { id } = proposal;
    const refusal = this.#heads.take(headOf(proposal));
    if (refusal !== undefined) return refusal;
    const failure = await storeFailure(this.#store.shelve(...recordsOf(proposal), ...noting(id)));
    if (failure === undefined) {
      this.announce(id);
      return proposal;
    }
    this.#heads.release(id);
    return storeRefusal(failure);
  }

  /** Stores that a proposal is closed and announces it; its texts stay. */
  async close(proposal: Proposal, status: ProposalStatus, review: Review): Promise<Outcome<Proposal>> {
    const { id } = proposal;
    const parts = proposal.parts.map((part) => ({ ...part, path: this.pathOf(part) }));
    const closed = { ...proposal, ...review, parts, status };
    const stored = this.#store.shelved(proposalShelf, id);
    const records = recordsOf(closed).slice(0, stored === undefined || isWhole(stored) ? 2 : 1);
    const failure = await storeFailure(this.#store.shelve(...records));
    if (failure !== undefined) return storeRefusal(failure);
    this.announce(id);
    return closed;
  }

  /** Notes a stored proposal and announces it. */
  announce(id: string): void {
    const stored = this.#store.shelved(proposalShelf, id);
    if (stored === undefined) return;
    const head = readHead(stored);
    this.#heads.note(head);
    this.forgetClosed();
    const { status, author, agentId, answers, reviewer, reason, approvals } = head;
    const appliedChange = approvals.at(-1)?.changes[0]?.change ?? null;
    const answering = answers !== undefined && { answers };
    const summary = { id, status, author, agentId, ...answering, reviewer, reason, appliedChange };
    const paths = this.pathsOf(head);
    for (const path of paths) this.#workspace.emit({ type: "proposal", path, paths, ...summary });
  }

  /** Forgets closed proposals that are old, and the first ones of tokens with too many. */
  forgetClosed(): void {
    const { clock, report } = this.#workspace.ports;
    const gone = this.#heads
      .dropClosed(clock.now())
      .flatMap((id) => SHELVES_OF_ONE.map((shelf): Shelved => ({ shelf, id, record: null })));
    if (gone.length === 0) return;
    const failed = (reason: unknown) => report("proposals.not_forgotten", { reason: String(reason) });
    this.#store.shelve(...gone).catch(failed);
  }

  /** Returns the proposal without approvals whose changes the store rolled back. */
  uphold<P extends Proposal | ProposalHead>(proposal: P): P {
    if (proposal.approvals.length === 0) return proposal;
    return upheld<P, ApprovalHead>(proposal, ({ changes }) =>
      changes.every(({ docId, change, version }) => {
        const seq = seqOf(version) ?? 0;
        // A change that is older than the stored history was never rolled back.
        return this.#workspace.stores(change, docId, seq) || seq < (this.#store.oldest(docId)?.seq ?? 0);
      }),
    );
  }

  get #heads(): ProposalHeads {
    if (this.#known !== undefined) return this.#known;
    const heads: ProposalHead[] = [];
    for (const stored of this.#store.shelf(proposalShelf)) heads.push(readHead(stored));
    this.#known = new ProposalHeads(heads);
    return this.#known;
  }

  get #store(): Store {
    return this.#workspace.ports.store;
  }
}
