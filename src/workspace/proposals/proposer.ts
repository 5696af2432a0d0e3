import { storeFailure } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { sizeOf, unchangedResult } from "../edits/answer.ts";
import { type Draft, textAfter } from "../edits/draft.ts";
import { openResolved } from "../edits/open.ts";
import { prepareEdits } from "../edits/prepare.ts";
import {
  type Aim,
  type EditRequest,
  type EditResult,
  isRefused,
  namesBase,
  type ResolvedEdit,
} from "../edits/request.ts";
import { Resolver } from "../edits/resolve.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { OncePerOpId } from "../once.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import { versionOf } from "../versions/version.ts";
import { describeEdit, reasoningOf } from "./describe.ts";
import { type ProposedOperation, planProposal } from "./plan.ts";
import {
  type Anchored,
  type Confidence,
  type Proposal,
  type ProposalDetails,
  UNREVIEWED,
} from "./proposal.ts";
import { nothingToDo } from "./refusals.ts";
import type { ProposalRepository } from "./repository.ts";
import { diffOf } from "./show.ts";

export interface ProposeRequest
  extends ProposedOperation,
    Pick<EditRequest, "path" | "version" | "sha256" | "opId"> {
  readonly field?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly confidence?: Confidence | undefined;
  readonly sourceQuery?: string | undefined;
}

const AIMS: Readonly<Record<ProposedOperation["operation"], Aim | undefined>> = {
  append: undefined,
  replace: "content",
  patch: "content",
  full_replace: "text",
};

const PLAN_NOTHING = () => ({ splices: [] });

/** Makes proposals of edits. The same `opId` of the same agent is answered with the first proposal. */
export class Proposer {
  readonly #workspace: Workspace;
  readonly #repository: ProposalRepository;
  readonly #once = new OncePerOpId();

  constructor(workspace: Workspace, repository: ProposalRepository) {
    this.#workspace = workspace;
    this.#repository = repository;
  }

  /** Creates the proposal that a request describes. */
  create(actor: Actor, request: ProposeRequest): Promise<Outcome<Proposal>> {
    const { opId } = request;
    return this.#once.run<Outcome<Proposal>>(
      actor.agent,
      opId,
      async (opId) => this.#repository.first(actor.agent, opId),
      () => this.#create(actor, request),
    );
  }

  async #create(actor: Actor, request: ProposeRequest): Promise<Outcome<Proposal>> {
    const plan = planProposal(request, namesBase(request), {
      path: request.path,
      root: this.#workspace.ports.files.root,
    });
    if (isRefusal(plan)) return plan;
    const { operation, oldContent = "", proposedValue, patch = "", path, version, sha256 } = request;
    const { reasoning = "", confidence = "medium", field = null, sourceQuery = null } = request;
    const aim = AIMS[operation];
    const edit = await this.#resolve(actor, { kind: operation, aim, path, plan, version, sha256 });
    if (isRefusal(edit)) return edit;
    if (edit.resolved.splices.length === 0) return nothingToDo(edit.document.path);
    const { text } = edit.resolved.base;
    const details: ProposalDetails = {
      field,
      operation,
      currentValue: operation === "full_replace" ? text.toString() : oldContent,
      proposedValue: proposedValue ?? patch,
      reasoning: reasoningOf(reasoning),
      confidence,
      sourceQuery,
    };
    return this.#add(actor, edit, details, request.opId);
  }

  /** Proposes an edit that its author may not make. The result is that of an edit that changes nothing yet. */
  proposeInstead(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    return this.#once.run<Outcome<EditResult>>(
      actor.agent,
      request.opId,
      (opId) => this.#proposedBefore(actor, request, opId),
      () => this.#proposeInstead(actor, request),
    );
  }

  async #proposeInstead(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    const edit = await this.#resolve(actor, request);
    if (isRefusal(edit)) return edit;
    const result = unchangedResult(edit);
    if (edit.resolved.splices.length === 0) return result;
    const proposal = await this.#add(actor, edit, describeEdit(request, edit.resolved), request.opId);
    return isRefusal(proposal) ? proposal : proposedResult(result, proposal, request);
  }

  /** Answers with the proposal that an `opId` made before. Its edit is not planned again: it may have been made since. */
  async #proposedBefore(
    actor: Actor,
    request: EditRequest,
    opId: string,
  ): Promise<Outcome<EditResult> | undefined> {
    const first = this.#repository.first(actor.agent, opId);
    if (first === undefined) return undefined;
    const { kind, path } = request;
    const edit = await this.#resolve(actor, { kind, path, plan: PLAN_NOTHING });
    return isRefusal(edit) ? edit : proposedResult(unchangedResult(edit), first, request);
  }

  /** Resolves an edit for an actor who may propose it; refused first where the token has too many proposals. */
  async #resolve(actor: Actor, request: EditRequest): Promise<Outcome<ResolvedEdit>> {
    if (request.plan !== PLAN_NOTHING) {
      const refused = this.#repository.refusal(actor.agent, 1);
      if (refused !== undefined) return refused;
    }
    const guarded = new GuardedWorkspace(this.#workspace, actor, "propose");
    const resolver = new Resolver(guarded.workers, guarded.seen);
    const document = await openResolved(guarded, request, resolver);
    const opened = { requests: [request], documents: [document], resolver };
    const prepared = prepareEdits(opened, { maxFileBytes: this.#workspace.limits.maxFileBytes });
    return isRefused(prepared) ? prepared.refused[0]!.refusal : prepared.edits[0]!;
  }

  /** Stores the proposal of an edit, once its base version is durable. */
  async #add(
    actor: Actor,
    { document, resolved }: ResolvedEdit,
    details: ProposalDetails,
    opId: string | undefined,
  ): Promise<Outcome<Proposal>> {
    const { seq, text } = resolved.base;
    const anchored = { base: versionOf(document.versions.change(seq)!), splices: resolved.own };
    const proposal = {
      ...this.#pending(actor, document, text, anchored, details),
      ...(opId !== undefined && { opId }),
    };
    const failure = await storeFailure(document.durable);
    return failure === undefined ? this.#repository.add(proposal) : storeRefusal(failure);
  }

  /** Drafts a proposal to be stored with a change: the side of a conflict that gave way to it. */
  draftInstead(author: Actor, draft: Draft, splices: readonly Splice[], reasoning: string): Proposal {
    const { document } = draft.edit;
    const text = textAfter(draft);
    const { diff } = diffOf({ now: text, splices }, document.path);
    const details: ProposalDetails = {
      field: null,
      operation: "patch",
      currentValue: "",
      proposedValue: diff,
      reasoning,
      confidence: "medium",
      sourceQuery: null,
    };
    return this.#pending(author, document, text, { base: draft.answer.version, splices }, details);
  }

  #pending(
    actor: Actor,
    document: Document,
    base: Text,
    anchored: Anchored,
    details: ProposalDetails,
  ): Proposal {
    return {
      id: this.#workspace.newId("prop"),
      docId: document.id,
      path: document.path,
      ...details,
      status: "pending",
      createdAt: new Date(this.#workspace.ports.clock.now()).toISOString(),
      ...UNREVIEWED,
      agentId: actor.agent,
      author: actor.name,
      ...(actor.answers !== undefined && { answers: actor.answers }),
      ...anchored,
      approvals: [],
      diff: diffOf({ now: base, splices: anchored.splices }, document.path).diff,
    };
  }
}

function proposedResult(result: EditResult, proposal: Proposal, { kind }: EditRequest): EditResult {
  const { id, splices } = proposal;
  const summary = `proposed: ${sizeOf(splices)} chars (${kind}); waits for approval as ${id}`;
  return { ...result, proposal: id, summary };
}
