import type { Shelved } from "../../store/shelf.ts";
import type { Splice } from "../../text/splice.ts";
import type { Actor } from "../access/actor.ts";
import { deniedRefusal } from "../access/refusals.ts";
import { type Level, levelIncludes } from "../access/rights.ts";
import type { Draft } from "../edits/draft.ts";
import type { Editor } from "../edits/editor.ts";
import { type EditRequest, type EditResult, isRefused, type RefusedEdits } from "../edits/request.ts";
import type { ProposalStatus } from "../events/events.ts";
import type { FileBatches } from "../folder/file-batch.ts";
import { refusalIfIgnored } from "../folder/ignored-path.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { type ApproveRequest, Approver } from "./approver.ts";
import { listPage, type ProposalPage, type ProposalQuery } from "./page.ts";
import { lookAtParts, type PartNow } from "./part-now.ts";
import { type Approval, isMadeBy, openParts, type Part, type Proposal, UNREVIEWED } from "./proposal.ts";
import { type ProposeFilesRequest, type ProposeRequest, Proposer } from "./proposer.ts";
import { recordsOf } from "./record.ts";
import * as refusals from "./refusals.ts";
import { ProposalRepository } from "./repository.ts";
import { SharedProposals } from "./shared.ts";
import { isObsolete, type ShownProposal, shownOf } from "./show.ts";

/** An approved proposal, the results of its changes, and the proposals that they made obsolete. */
export interface Approved {
  readonly proposal: ShownProposal;
  /** At least one. */
  readonly results: readonly EditResult[];
  /** Other proposals that cannot be approved any more, or not as they are. */
  readonly obsolete: readonly ShownProposal[];
}

/** A new proposal of several files, and the results of its edits, which change nothing yet. */
export interface ProposedSet {
  readonly proposal: ShownProposal;
  readonly results: readonly EditResult[];
}

/** A proposal as it is now, with its open parts. */
interface ProposalNow {
  readonly proposal: Proposal;
  readonly parts: readonly PartNow[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The most proposals that an approval checks for being obsolete. */
const MOST_BESIDE = 50;

/**
 * Owns edits that wait for approval. Each is anchored to the version that it was made against and rebased onto the
 * newest text on every look. A document contains no text of a proposal before its approval.
 */
export class Proposals {
  readonly #workspace: Workspace;
  readonly #expireMs: number;
  readonly #repository: ProposalRepository;
  readonly #proposer: Proposer;
  readonly #approver: Approver;
  readonly #queue = new KeyedQueue<string>();

  constructor(workspace: Workspace, editor: Editor, files: FileBatches, expireDays: number) {
    this.#workspace = workspace;
    this.#expireMs = expireDays * DAY_MS;
    this.#repository = new ProposalRepository(workspace);
    this.#proposer = new Proposer(workspace, this.#repository);
    this.#approver = new Approver(workspace, editor, files, this.#repository);
    workspace.pins.add((docId) => this.#repository.oldestBase(docId));
    workspace.shared.add(new SharedProposals(workspace, editor, this.#repository, this.#queue));
  }

  /** Proposes an edit, resolved at once and strictly against its base; changes nothing. */
  async create(actor: Actor, request: ProposeRequest): Promise<Outcome<ShownProposal>> {
    const made = await this.#proposer.create(actor, request);
    return isRefusal(made) ? made : this.#show(actor, await this.#look(made));
  }

  /** Proposes changes of several files, each resolved at once and strictly against its base; changes nothing. */
  async createOfFiles(actor: Actor, request: ProposeFilesRequest): Promise<ProposedSet | RefusedEdits> {
    const made = await this.#proposer.createOfFiles(actor, request);
    if (isRefused(made)) return made;
    const shown = this.#show(actor, await this.#look(made.proposal));
    return isRefusal(shown) ? { refused: [{ refusal: shown }] } : { proposal: shown, results: made.results };
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

  /** Returns a proposal; its hunks have `context` unchanged lines around their changes. */
  async get(actor: Actor, id: string, context?: number): Promise<Outcome<ShownProposal>> {
    return this.#queue.run([id], async () => {
      const proposal = this.#find(actor, id, "read");
      return isRefusal(proposal) ? proposal : this.#show(actor, await this.#look(proposal), context);
    });
  }

  /**
   * Finds a proposal whose documents the actor may all use at a level; a proposal of an unreadable document does not
   * exist for them.
   */
  #find(actor: Actor, id: string, needed: Level): Outcome<Proposal> {
    const head = this.#repository.head(id);
    if (head === undefined) return refusals.unknown(id);
    const paths = this.#repository.pathsOf(head);
    if (!paths.every((path) => actor.rights.allows(path, "read"))) return refusals.unknown(id);
    for (const path of paths) {
      const ignored = refusalIfIgnored(this.#workspace.ports.ignored, path);
      if (ignored !== undefined) return ignored;
      const allowed = actor.rights.permissionAt(path);
      if (!levelIncludes(allowed.level, needed)) return deniedRefusal(path, allowed, needed);
    }
    return this.#repository.find(id) ?? refusals.unknown(id);
  }

  /** Returns the documents of a proposal that an actor may see, and the paths of files that it would make. */
  about(
    actor: Actor,
    id: string,
  ): Outcome<{ readonly docIds: readonly string[]; readonly places: readonly string[] }> {
    const proposal = this.#find(actor, id, "read");
    if (isRefusal(proposal)) return proposal;
    const { parts } = proposal;
    const docIds = parts.flatMap(({ docId }) => (docId === "" ? [] : docId));
    const places = parts.flatMap(({ docId, path, to }) => to ?? (docId === "" ? path : []));
    return { docIds: [...new Set(docIds)], places };
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
   * Makes the proposed changes as their author's: all, or the changes of some files or hunks; the rest stays pending.
   * All of them are made or none. Refused where later edits changed the same words, and where another reviewer was
   * faster (status 409).
   */
  async approve(reviewer: Actor, request: ApproveRequest): Promise<Outcome<Approved>> {
    const made = await this.#queue.run([request.id], async () => {
      const proposal = this.#find(reviewer, request.id, "read");
      if (isRefusal(proposal)) return proposal;
      if (this.#isOver(proposal)) return refusals.closed(await this.#lapse(proposal, "expired"));
      return proposal.status === "pending"
        ? this.#approve(reviewer, request, proposal)
        : refusals.closed(proposal);
    });
    if (isRefusal(made)) return made;
    return { ...made, obsolete: await this.#obsoleteBeside(reviewer, made.proposal.id) };
  }

  async #approve(
    reviewer: Actor,
    request: ApproveRequest,
    proposal: Proposal,
  ): Promise<Outcome<Omit<Approved, "obsolete">>> {
    const made = await this.#approver.make(reviewer, request, proposal, this.#reviewedBy(reviewer));
    if (isRefusal(made)) return made;
    if (made === "superseded") return refusals.closed(await this.#lapse(proposal, "superseded"));
    const { approved, results } = made;
    this.#repository.announce(approved.id);
    const reviewed = this.#show(reviewer, await this.#look(approved));
    return isRefusal(reviewed) ? reviewed : { proposal: reviewed, results };
  }

  /** Returns other pending proposals about the same files that cannot be approved any more, or not as they are. */
  async #obsoleteBeside(reviewer: Actor, id: string): Promise<readonly ShownProposal[]> {
    const approved = this.#repository.head(id);
    if (approved === undefined) return [];
    const about = new Set(this.#repository.pathsOf(approved));
    const others = this.#repository
      .heads()
      .filter(
        (head) =>
          head.id !== id &&
          head.status === "pending" &&
          this.#repository.pathsOf(head).some((path) => about.has(path)),
      );
    const obsolete: ShownProposal[] = [];
    for (const other of others.slice(0, MOST_BESIDE)) {
      const shown = await this.get(reviewer, other.id);
      if (!isRefusal(shown) && isObsolete(shown)) obsolete.push(shown);
    }
    return obsolete;
  }

  /** Closes a proposal as rejected. Its author needs no right to make it: they withdraw it. */
  reject(reviewer: Actor, id: string, reason: string | null): Promise<Outcome<ShownProposal>> {
    return this.#queue.run([id], async () => {
      const isOwn = isMadeBy(this.#repository.head(id), reviewer.agent);
      const found = this.#find(reviewer, id, isOwn ? "propose" : "write");
      if (isRefusal(found)) return found;
      const { proposal } = await this.#look(found);
      if (proposal.status !== "pending") return refusals.closed(proposal);
      const review = { ...this.#reviewedBy(reviewer), reason, withdrawn: isOwn };
      const rejected = await this.#repository.close(proposal, "rejected", review);
      return isRefusal(rejected) ? rejected : this.#show(reviewer, { proposal: rejected, parts: [] });
    });
  }

  /** Closes a proposal that its author withdrew or replaced; returns undefined for one that was reviewed or expired. */
  replaced(id: string, by: string | undefined): Promise<Outcome<Proposal> | undefined> {
    return this.#queue.run([id], async () => {
      const found = this.#repository.find(id);
      if (found?.status !== "pending") return found?.status === "superseded" ? found : undefined;
      const reason = by === undefined ? "withdrawn" : `replaced by ${by}`;
      return this.#repository.close(found, "superseded", { ...UNREVIEWED, reviewedAt: this.#now(), reason });
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

  /**
   * Looks at a pending proposal: closes it when it has expired or nothing is left to do, and looks at its open parts. A
   * set whose other parts were approved is approved once the rest is there.
   */
  async #look(proposal: Proposal): Promise<ProposalNow> {
    if (proposal.status !== "pending") return { proposal, parts: [] };
    if (this.#isOver(proposal)) return { proposal: await this.#lapse(proposal, "expired"), parts: [] };
    const looking = {
      workspace: this.#workspace,
      id: proposal.id,
      pathOf: (part: Part) => this.#repository.pathOf(part),
    };
    const parts = await lookAtParts(looking, openParts(proposal));
    if (parts.some(({ superseded }) => superseded === undefined)) return { proposal, parts };
    const isComplete =
      proposal.approvals.length > 0 && parts.every(({ superseded }) => superseded === "there");
    const status = isComplete && proposal.parts.length > 1 ? "approved" : "superseded";
    return { proposal: await this.#lapse(proposal, status), parts: [] };
  }

  /** Closes a proposal, even where the store cannot record that at present. */
  async #lapse(proposal: Proposal, status: ProposalStatus, reason: string | null = null): Promise<Proposal> {
    const { userId, reviewer, reviewedAt } = proposal;
    const isApproved = status === "approved";
    const noted = { ...UNREVIEWED, reviewedAt: this.#now(), reason };
    const review = isApproved ? { userId, reviewer, reviewedAt, reason: proposal.reason } : noted;
    const lapsed = await this.#repository.close(proposal, status, review);
    return isRefusal(lapsed) ? { ...proposal, ...review, status } : lapsed;
  }

  /** Returns the proposal for a client. Its documents may have been moved meanwhile. */
  #show({ rights }: Actor, { proposal, parts }: ProposalNow, context?: number): Outcome<ShownProposal> {
    const isReadable = this.#repository.pathsOf(proposal).every((path) => rights.allows(path, "read"));
    if (!isReadable) return refusals.unknown(proposal.id);
    return shownOf(proposal, (part) => this.#repository.pathOf(part), parts, context);
  }

  #reviewedBy({ name, agent }: Actor): Pick<Approval, "userId" | "reviewer" | "reviewedAt"> {
    return { userId: agent, reviewer: name, reviewedAt: this.#now() };
  }

  #now(): string {
    return new Date(this.#workspace.ports.clock.now()).toISOString();
  }
}
