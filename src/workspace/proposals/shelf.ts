import { type Shelved, type Store, storeFailure } from "../../store/store.ts";
import { storeRefusal } from "../problems.ts";
import type { Outcome } from "../refusal.ts";
import { seqOf } from "../version.ts";
import type { Workspace } from "../workspace.ts";
import { type Proposal, type Review, type Status, upheld } from "./proposal.ts";

/** The stored proposals; whoever changes one tells of it here. */
export class ProposalShelf {
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  find(id: string): Proposal | undefined {
    const record = this.#store.shelved("proposals", id);
    return record && this.#upheld(record as Proposal);
  }

  /** All proposals, or those of the document at a path, newest first. */
  all(path?: string): Proposal[] {
    const records = [...this.#store.shelf("proposals")] as Proposal[];
    return records
      .filter((proposal) => path === undefined || this.pathOf(proposal) === path)
      .map((proposal) => this.#upheld(proposal))
      .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  }

  /** Where a proposal's document is now, or was last. */
  pathOf({ docId, path }: Proposal): string {
    for (const document of this.#workspace.loaded) if (document.id === docId) return document.path;
    return this.#store.document(docId)?.path ?? path;
  }

  /** Stores a proposal and tells of it. */
  async put(proposal: Proposal): Promise<Outcome<Proposal>> {
    const failure = await storeFailure(this.#store.shelve(shelved(proposal)));
    if (failure !== undefined) return storeRefusal(failure);
    this.tell(proposal);
    return proposal;
  }

  close(proposal: Proposal, status: Status, review: Review): Promise<Outcome<Proposal>> {
    return this.put({ ...proposal, ...review, path: this.pathOf(proposal), status });
  }

  /** Tells of a proposal that was stored. */
  tell(proposal: Proposal): void {
    const { id, status, author, agent_id, reviewer, reason, approvals } = proposal;
    const applied_change = approvals.at(-1)?.change ?? null;
    const told = { id, status, author, agent_id, reviewer, reason, applied_change };
    this.#workspace.tell({ type: "proposal", path: this.pathOf(proposal), ...told });
  }

  get #store(): Store {
    return this.#workspace.ports.store;
  }

  #upheld(proposal: Proposal): Proposal {
    if (proposal.approvals.length === 0) return proposal;
    const { docId } = proposal;
    const oldest = this.#store.oldest(docId)?.seq ?? 0;
    return upheld(proposal, ({ change, left }) => {
      const seq = seqOf(left.base) ?? 0;
      // What is older than the history that is kept was never taken back.
      return seq < oldest || this.#workspace.storedChange(docId, seq)?.id === change;
    });
  }
}

export function shelved(proposal: Proposal): Shelved {
  return { shelf: "proposals", id: proposal.id, record: proposal };
}
