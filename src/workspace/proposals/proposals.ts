import type { Shelved } from "../../store/shelf.ts";
import type { Splice } from "../../text/splice.ts";
import { type Actor, actingFor } from "../access/actor.ts";
import { deniedRefusal } from "../access/refusals.ts";
import { type Level, levelIncludes } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import type { Draft } from "../edits/draft.ts";
import type { Editor } from "../edits/editor.ts";
import { type EditRequest, type EditResult, isRefused, type ResolvedEdit } from "../edits/request.ts";
import type { ProposalStatus } from "../events/events.ts";
import { refusalIfIgnored } from "../folder/ignored-path.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { shortMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { afterApproval, type Choice, choose } from "./choice.ts";
import { listPage, type ProposalPage, type ProposalQuery } from "./page.ts";
import { type Approval, leftOf, type Proposal, UNREVIEWED } from "./proposal.ts";
import { type ProposeRequest, Proposer } from "./proposer.ts";
import { conflictsOf, type RebasedProposal, rebaseProposal } from "./rebase.ts";
import { recordsOf } from "./record.ts";
import * as refusals from "./refusals.ts";
import { ProposalRepository } from "./repository.ts";
import { type ShownProposal, shownOf } from "./show.ts";

export interface ApproveRequest extends Pick<EditRequest, "ack"> {
  readonly id: string;
  /** The numbers of the hunks to apply, as the diff counts them; all of them without it. */
  readonly hunks?: readonly number[] | undefined;
  /** The version that the reviewer saw; the approval is refused when the document is at another one. */
  readonly version?: string | undefined;
  /** The `patch_id` of the question whether to drop most of the document. */
  readonly confirm?: string | undefined;
}

/** An approved proposal and the edit that it became. */
export interface Approved {
  readonly proposal: ShownProposal;
  readonly edit: EditResult;
}

/** A proposal as it is now; `standing` is a pending one rebased, or the reason why it cannot be. */
interface ProposalNow {
  readonly proposal: Proposal;
  readonly rebased?: Outcome<RebasedProposal>;
}

import { refuseShrinking } from "./shrinks.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Owns edits that wait for approval. Each is anchored to the version that it was made against and rebased onto the
 * newest text on every look. A document contains no text of a proposal before its approval.
 */
export class Proposals {
  readonly #workspace: Workspace;
  readonly #editor: Editor;
  readonly #expireMs: number;
  readonly #repository: ProposalRepository;
  readonly #proposer: Proposer;
  readonly #queue = new KeyedQueue<string>();

  constructor(workspace: Workspace, editor: Editor, expireDays: number) {
    this.#workspace = workspace;
    this.#editor = editor;
    this.#expireMs = expireDays * DAY_MS;
    this.#repository = new ProposalRepository(workspace);
    this.#proposer = new Proposer(workspace, this.#repository);
    workspace.pins.add((docId) => this.#repository.oldestBase(docId));
  }

  /** Proposes an edit, resolved at once and strictly against its base; changes nothing. */
  async create(actor: Actor, request: ProposeRequest): Promise<Outcome<ShownProposal>> {
    const made = await this.#proposer.create(actor, request);
    return isRefusal(made) ? made : this.#show(actor, await this.#look(made));
  }

  /**
   * Proposes an edit that its author may not make. The result is that of an edit that changes nothing yet, and names
   * the proposal. An edit that would change nothing is answered as usual.
   */
  proposeInstead(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    return this.#proposer.proposeInstead(actor, request);
  }

  /** Drafts a proposal of the side of a conflict that gave way; `announce` it once its records are committed. */
  draftInstead(
    author: Actor,
    draft: Draft,
    splices: readonly Splice[],
    reasoning: string,
  ): { readonly id: string; readonly records: readonly Shelved[] } {
    const proposal = this.#proposer.draftInstead(author, draft, splices, reasoning);
    return { id: proposal.id, records: recordsOf(proposal) };
  }

  /** Announces a proposal that was committed with a change. */
  announce(id: string): void {
    this.#repository.announce(id);
  }

  async get(actor: Actor, id: string): Promise<Outcome<ShownProposal>> {
    return this.#queue.run([id], async () => {
      const proposal = this.#find(actor, id, "read");
      return isRefusal(proposal) ? proposal : this.#show(actor, await this.#look(proposal));
    });
  }

  /**
   * Finds a proposal whose document the actor may use at a level; a proposal of an unreadable document does not exist
   * for them.
   */
  #find(actor: Actor, id: string, needed: Level): Outcome<Proposal> {
    const head = this.#repository.head(id);
    if (head === undefined) return refusals.unknown(id);
    const path = this.#repository.pathOf(head);
    const allowed = actor.rights.permissionAt(path);
    if (!levelIncludes(allowed.level, "read")) return refusals.unknown(id);
    const ignored = refusalIfIgnored(this.#workspace.ports.ignored, path);
    if (ignored !== undefined) return ignored;
    if (!levelIncludes(allowed.level, needed)) return deniedRefusal(path, allowed, needed);
    return this.#repository.find(id) ?? refusals.unknown(id);
  }

  /** Newest first. */
  async list(actor: Actor, query: ProposalQuery): Promise<Outcome<ProposalPage>> {
    const { path } = query;
    const isNamed = path !== undefined && actor.rights.allows(path, "read");
    const ignored = isNamed ? refusalIfIgnored(this.#workspace.ports.ignored, path) : undefined;
    if (ignored !== undefined) return ignored;
    return listPage(this.#repository, actor, query, {
      isOver: (head) => this.#isOver(head),
      get: (id) => this.get(actor, id),
    });
  }

  /**
   * Makes the proposed edit as its author's, of all hunks or of some; the rest stays pending. Refused where later
   * edits changed the same words, and where another reviewer was faster (status 409).
   */
  approve(reviewer: Actor, request: ApproveRequest): Promise<Outcome<Approved>> {
    return this.#queue.run([request.id], async () => {
      const proposal = this.#find(reviewer, request.id, "write");
      if (isRefusal(proposal)) return proposal;
      if (this.#isOver(proposal)) return refusals.closed(await this.#lapse(proposal, "expired"));
      return proposal.status === "pending"
        ? this.#approve(reviewer, request, proposal)
        : refusals.closed(proposal);
    });
  }

  async #approve(reviewer: Actor, request: ApproveRequest, proposal: Proposal): Promise<Outcome<Approved>> {
    const { author: name, agentId: agent, answers } = proposal;
    const author = actingFor(reviewer, { name, agent, ...(answers !== undefined && { answers }) });
    const edit = editOf(proposal, this.#repository.pathOf(proposal), request);
    const [document] = (await this.#editor.open(author, [edit])).documents;
    if (document === undefined || isRefusal(document)) return document ?? refusals.unknown(proposal.id);
    // The code does not wait from here to the commit, so that no other change comes between.
    const choice = this.#choose(proposal, document, request);
    if (isRefusal(choice)) return choice;
    if (choice.superseded) return refusals.closed(await this.#lapse(proposal, "superseded"));
    const shrinks = refuseShrinking(proposal, document, choice, request.confirm);
    if (shrinks !== undefined) return shrinks;
    const checked = this.#editor.check(resolvedEdit(edit, document, choice));
    if (isRefusal(checked)) return checked;
    const drafted = this.#editor.draft(author, [checked]);
    if (isRefused(drafted)) return drafted.refused[0]!.refusal;
    const change = drafted.drafts[0]!.drafted?.change;
    if (change === undefined) return refusals.closed(await this.#lapse(proposal, "superseded"));
    const approved = afterApproval(proposal, change, choice, this.#reviewedBy(reviewer));
    const made = await this.#editor.commit(author, drafted, { shelved: recordsOf(approved) });
    if (isRefusal(made)) return made;
    this.#repository.announce(approved.id);
    const reviewed = this.#show(reviewer, await this.#look(approved));
    if (isRefusal(reviewed)) return reviewed;
    return { proposal: reviewed, edit: { ...made[0]!, merged: choice.stale } };
  }

  /** Rebases a proposal onto the newest text and chooses the hunks that the reviewer asks for. */
  #choose(proposal: Proposal, document: Document, { hunks, version }: ApproveRequest): Outcome<Choice> {
    if (document.id !== proposal.docId) return refusals.otherDocument(proposal);
    const rebased = rebaseProposal(document, leftOf(proposal));
    if (rebased === undefined) return refusals.baseless(proposal);
    const conflicts = rebased.superseded ? [] : conflictsOf(rebased);
    if (conflicts.length > 0) return refusals.overlapping(proposal, conflicts);
    if (!rebased.superseded && version !== undefined && version !== document.version)
      return refusals.documentMoved(proposal, version, document);
    return choose(proposal.id, rebased, document.path, hunks);
  }

  /** Closes a proposal as rejected. */
  reject(reviewer: Actor, id: string, reason: string | null): Promise<Outcome<ShownProposal>> {
    return this.#queue.run([id], async () => {
      const found = this.#find(reviewer, id, "write");
      if (isRefusal(found)) return found;
      const { proposal } = await this.#look(found);
      if (proposal.status !== "pending") return refusals.closed(proposal);
      const review = { ...this.#reviewedBy(reviewer), reason };
      const rejected = await this.#repository.close(proposal, "rejected", review);
      return isRefusal(rejected) ? rejected : this.#show(reviewer, { proposal: rejected });
    });
  }

  /** Closes expired proposals, which are otherwise noticed on the next look, and forgets old ones. */
  async expire(): Promise<void> {
    for (const { id } of this.#repository
      .heads()
      .filter((head) => this.#isOver(this.#repository.uphold(head))))
      await this.#queue.run([id], async () => {
        const proposal = this.#repository.find(id);
        if (proposal !== undefined && this.#isOver(proposal)) await this.#lapse(proposal, "expired");
      });
    this.#repository.forgetClosed();
  }

  #isOver({ status, createdAt }: Pick<Proposal, "status" | "createdAt">): boolean {
    const age = this.#workspace.ports.clock.now() - Date.parse(createdAt);
    return status === "pending" && age >= this.#expireMs;
  }

  /** Looks at a pending proposal: closes it when it has expired or is superseded, rebases it otherwise. */
  async #look(proposal: Proposal): Promise<ProposalNow> {
    if (proposal.status !== "pending") return { proposal };
    if (this.#isOver(proposal)) return { proposal: await this.#lapse(proposal, "expired") };
    const document = await this.#open(proposal);
    if (isRefusal(document)) return { proposal, rebased: document };
    const rebased = rebaseProposal(document, leftOf(proposal));
    return rebased?.superseded
      ? { proposal: await this.#lapse(proposal, "superseded") }
      : { proposal, rebased: rebased ?? refusals.baseless(proposal) };
  }

  /** Closes a proposal, even where the store cannot record that at present. */
  async #lapse(proposal: Proposal, status: ProposalStatus): Promise<Proposal> {
    const review = { ...UNREVIEWED, reviewedAt: this.#now() };
    const lapsed = await this.#repository.close(proposal, status, review);
    return isRefusal(lapsed) ? { ...proposal, ...review, status } : lapsed;
  }

  /** Returns the proposal for a client. Its document may have been moved meanwhile. */
  #show({ rights }: Actor, { proposal, rebased }: ProposalNow): Outcome<ShownProposal> {
    const path = this.#repository.pathOf(proposal);
    return rights.allows(path, "read") ? shownOf(proposal, path, rebased) : refusals.unknown(proposal.id);
  }

  async #open(proposal: Proposal): Promise<Outcome<Document>> {
    const document = await this.#workspace.open(this.#repository.pathOf(proposal));
    if (isRefusal(document)) return document;
    return document.id === proposal.docId ? document : refusals.otherDocument(proposal);
  }

  #reviewedBy({ name, agent }: Actor): Pick<Approval, "userId" | "reviewer" | "reviewedAt"> {
    return { userId: agent, reviewer: name, reviewedAt: this.#now() };
  }

  #now(): string {
    return new Date(this.#workspace.ports.clock.now()).toISOString();
  }
}

/** Returns the edit that approving a proposal makes; its splices are known once the document is open. */
function editOf({ reasoning }: Proposal, path: string, { ack }: ApproveRequest): EditRequest {
  const message = shortMessage(reasoning.trim().replace(/\s+/g, " "));
  return { kind: "proposal", origin: "proposal", path, plan: () => ({ splices: [] }), message, ack };
}

/** Returns an edit of a document's newest text, which was merged before. */
function resolvedEdit(request: EditRequest, document: Document, { chosen, met }: Choice): ResolvedEdit {
  const base = { seq: met.seq, version: met.baseVersion, text: met.base };
  const merge = { ours: chosen, theirs: [], overlaps: [], close: met.close };
  const made = { plan: { splices: chosen }, own: chosen, splices: chosen };
  const resolved = { ...made, base, merged: false, merge, conflicts: met.close };
  return { document, request, resolved };
}
