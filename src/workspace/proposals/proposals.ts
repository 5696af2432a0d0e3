import type { DocPath } from "../../mirror/path.ts";
import type { Shelved } from "../../store/store.ts";
import type { Actor } from "../access/actor.ts";
import { deniedRefusal } from "../access/refusals.ts";
import { type Level, levelIncludes } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import type { Editor } from "../edits/editor.ts";
import type { EditRequest, EditResult, Made } from "../edits/request.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { after, type Choice, choose } from "./choice.ts";
import { listPage, type ProposalPage, type ProposalQuery } from "./page.ts";
import {
  type Anchored,
  type Approval,
  leftOf,
  type Proposal,
  type ProposalStatus,
  UNREVIEWED,
} from "./proposal.ts";
import { type ProposeRequest, Proposer } from "./proposer.ts";
import { conflictsOf, type RebasedProposal, rebaseProposal } from "./rebase.ts";
import { recordsOf } from "./record.ts";
import * as refusals from "./refusals.ts";
import { ProposalRepository } from "./repository.ts";
import { type ShownProposal, shownOf } from "./show.ts";

export interface ApproveRequest extends Pick<EditRequest, "ack"> {
  readonly id: string;
  /** Numbers of the hunks to apply, as shown; all of them without it. */
  readonly hunks?: readonly number[] | undefined;
  /** The version at which the reviewer saw it: refused when the document is at another one. */
  readonly version?: string | undefined;
}

/** An approved proposal and the edit that it became. */
export interface Approved {
  readonly proposal: ShownProposal;
  readonly edit: EditResult;
}

/** A proposal as it is by now; `standing` is that of a pending one, or why it has none. */
interface Looked {
  readonly proposal: Proposal;
  readonly standing?: Outcome<RebasedProposal>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Edits that wait for approval. Each is anchored to the version that it was made against, and carried to the
 * newest text whenever it is looked at; nothing of it is in the document before it is approved.
 */
export class Proposals {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #expireMs: number;
  readonly #repository: ProposalRepository;
  readonly #proposer: Proposer;
  readonly #order = new KeyedQueue<string>();

  constructor(workspace: Workspace, editor: Editor, expireDays: number) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#expireMs = expireDays * DAY_MS;
    this.#repository = new ProposalRepository(workspace);
    this.#proposer = new Proposer(workspace, this.#repository);
    workspace.pins.add((docId) => this.#repository.oldestBase(docId));
  }

  /** Proposes an edit, resolved at once and strictly against the base that it names; changes nothing. */
  async create(actor: Actor, request: ProposeRequest): Promise<Outcome<ShownProposal>> {
    const made = await this.#proposer.create(actor, request);
    return isRefusal(made) ? made : this.#show(actor, await this.#look(made));
  }

  /**
   * Proposes an edit that its author may not make: the answer is that of an edit that has changed nothing
   * yet, and names the proposal. An edit that would change nothing anyway is answered as ever.
   */
  proposeInstead(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    return this.#proposer.proposeInstead(actor, request);
  }

  /** What gave way to an edit, as a proposal to be stored with the edit's change; told of by `tellOf` then. */
  keep(
    author: Actor,
    document: Document,
    anchored: Anchored,
    reasoning: string,
  ): { readonly id: string; readonly records: readonly Shelved[] } {
    const proposal = this.#proposer.instead(author, document, anchored, reasoning);
    return { id: proposal.id, records: recordsOf(proposal) };
  }

  tellOf(id: string): void {
    this.#repository.tell(id);
  }

  async get(actor: Actor, id: string): Promise<Outcome<ShownProposal>> {
    return this.#order.run([id], async () => {
      const proposal = this.#find(actor, id, "read");
      return isRefusal(proposal) ? proposal : this.#show(actor, await this.#look(proposal));
    });
  }

  /** One whose document somebody may do with what takes `level`; of a document that they may not read there is none. */
  #find(actor: Actor, id: string, needed: Level): Outcome<Proposal> {
    const head = this.#repository.head(id);
    if (head === undefined) return refusals.unknown(id);
    const path = this.#repository.pathOf(head);
    const allowed = actor.rights.permissionAt(path);
    if (!levelIncludes(allowed.level, "read")) return refusals.unknown(id);
    if (!levelIncludes(allowed.level, needed)) return deniedRefusal(path, allowed, needed);
    return this.#repository.find(id) ?? refusals.unknown(id);
  }

  /** Newest first. */
  list(actor: Actor, query: ProposalQuery): Promise<Outcome<ProposalPage>> {
    return listPage(this.#repository, actor, query, {
      isOver: (head) => this.#isOver(head),
      get: (id) => this.get(actor, id),
    });
  }

  /**
   * Makes the proposed edit, as its author's, of all hunks or of some; what is left of it stays pending.
   * Refused where later edits changed the same characters, and where somebody was faster (status 409).
   */
  approve(reviewer: Actor, request: ApproveRequest): Promise<Outcome<Approved>> {
    return this.#review(reviewer, request.id, async (proposal) => {
      const document = await this.#open(proposal);
      if (isRefusal(document)) return document;
      const { path } = document;
      let choice: Choice = { chosen: [], rest: [], stale: false, diff: "" };
      let approved = proposal;
      const edit: EditRequest = {
        kind: "proposal",
        origin: "proposal",
        path,
        plan: () => {
          const chosen = this.#choose(proposal, path, request);
          if (isRefusal(chosen)) return chosen;
          choice = chosen;
          return { splices: chosen.chosen };
        },
        message: messageOf(proposal),
        ack: request.ack,
      };
      const keep = ([made]: readonly Made[]) => {
        if (made?.change === undefined) return {};
        approved = after(proposal, made.change, choice, this.#reviewedBy(reviewer));
        return { shelved: recordsOf(approved) };
      };
      // What the reviewer may do counts, and the author's name stands.
      const author = { ...reviewer, name: proposal.author, agent: proposal.agent_id };
      const result = await this.#editor.together(author, [edit], { keep });
      if ("refused" in result) return result.refused[0]!.refusal;
      if (approved === proposal) return refusals.closed(await this.#lapse(proposal, "superseded"));
      this.#repository.tell(approved.id);
      const shown = this.#show(reviewer, await this.#look(approved));
      if (isRefusal(shown)) return shown;
      return { proposal: shown, edit: { ...result.made[0]!, merged: choice.stale } };
    });
  }

  /**
   * What to apply to the document that is at a path once it is opened. Waits for nothing, so that nothing comes
   * between this and the commit.
   */
  #choose(proposal: Proposal, path: DocPath, { hunks, version }: ApproveRequest): Outcome<Choice> {
    const document = this.#workspace.loadedAt(path);
    if (document?.id !== proposal.docId) return refusals.otherDocument(proposal);
    const standing = rebaseProposal(document, leftOf(proposal));
    if (standing === undefined) return refusals.baseless(proposal);
    const conflicts = standing.superseded ? [] : conflictsOf(standing);
    if (conflicts.length > 0) return refusals.overlapping(proposal, conflicts);
    if (version !== undefined && version !== document.version)
      return refusals.moved(proposal, version, document);
    return choose(proposal.id, standing, document.path, hunks);
  }

  /** Closes a proposal that is not wanted. */
  reject(reviewer: Actor, id: string, reason: string | null): Promise<Outcome<ShownProposal>> {
    return this.#review(reviewer, id, async (proposal) => {
      const review = { ...this.#reviewedBy(reviewer), reason };
      const rejected = await this.#repository.close(proposal, "rejected", review);
      return isRefusal(rejected) ? rejected : this.#show(reviewer, { proposal: rejected });
    });
  }

  /** Closes the proposals that have expired, which else is noticed when they are looked at, and forgets old ones. */
  async expire(): Promise<void> {
    for (const { id } of this.#repository
      .heads()
      .filter((head) => this.#isOver(this.#repository.uphold(head))))
      await this.#order.run([id], async () => {
        const proposal = this.#repository.find(id);
        if (proposal !== undefined && this.#isOver(proposal)) await this.#lapse(proposal, "expired");
      });
    this.#repository.forgetClosed();
  }

  #isOver({ status, created_at }: Pick<Proposal, "status" | "created_at">): boolean {
    const age = this.#workspace.ports.clock.now() - Date.parse(created_at);
    return status === "pending" && age >= this.#expireMs;
  }

  /** One review of one proposal at a time, and only while it is pending. */
  #review<T>(
    reviewer: Actor,
    id: string,
    work: (proposal: Proposal) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    return this.#order.run([id], async () => {
      const found = this.#find(reviewer, id, "write");
      if (isRefusal(found)) return found;
      const { proposal } = await this.#look(found);
      return proposal.status === "pending" ? work(proposal) : refusals.closed(proposal);
    });
  }

  /** Sees what has become of a pending proposal by itself, and closes one of which nothing can come any more. */
  async #look(proposal: Proposal): Promise<Looked> {
    if (proposal.status !== "pending") return { proposal };
    if (this.#isOver(proposal)) return { proposal: await this.#lapse(proposal, "expired") };
    const document = await this.#open(proposal);
    if (isRefusal(document)) return { proposal, standing: document };
    const standing = rebaseProposal(document, leftOf(proposal));
    return standing?.superseded
      ? { proposal: await this.#lapse(proposal, "superseded") }
      : { proposal, standing: standing ?? refusals.baseless(proposal) };
  }

  /** It is closed even where that cannot be stored at present. */
  async #lapse(proposal: Proposal, status: ProposalStatus): Promise<Proposal> {
    const review = { ...UNREVIEWED, reviewed_at: this.#now() };
    const lapsed = await this.#repository.close(proposal, status, review);
    return isRefusal(lapsed) ? { ...proposal, ...review, status } : lapsed;
  }

  /** Its document may have been moved while it was looked at. */
  #show({ rights }: Actor, { proposal, standing }: Looked): Outcome<ShownProposal> {
    const path = this.#repository.pathOf(proposal);
    return rights.allows(path, "read") ? shownOf(proposal, path, standing) : refusals.unknown(proposal.id);
  }

  async #open(proposal: Proposal): Promise<Outcome<Document>> {
    const document = await this.#workspace.open(this.#repository.pathOf(proposal));
    if (isRefusal(document)) return document;
    return document.id === proposal.docId ? document : refusals.otherDocument(proposal);
  }

  #reviewedBy({ name, agent }: Actor): Pick<Approval, "user_id" | "reviewer" | "reviewed_at"> {
    return { user_id: agent, reviewer: name, reviewed_at: this.#now() };
  }

  #now(): string {
    return new Date(this.#workspace.ports.clock.now()).toISOString();
  }
}

/** The reasoning as a change's message: on one line, and cut. */
function messageOf({ reasoning }: Proposal): string {
  return shortMessage(reasoning.trim().replace(/\s+/g, " "));
}
