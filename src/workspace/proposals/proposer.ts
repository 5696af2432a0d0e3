import type { Shelved } from "../../store/shelf.ts";
import { storeFailure } from "../../store/store.ts";
import type { Splice } from "../../text/splice.ts";
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
  type RefusedEdits,
  type ResolvedEdit,
} from "../edits/request.ts";
import { Resolver } from "../edits/resolve.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { isOtherRequest, OncePerOpId } from "../once.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { opIdRefusal, storeRefusal } from "../outcome/refusals.ts";
import { describeEdit, reasoningOf } from "./describe.ts";
import { editPart, losingPart, type ProposedFile, partsOf } from "./parts.ts";
import { type ProposedOperation, planProposal } from "./plan.ts";
import { type Confidence, type Part, type Proposal, type ProposalDetails, UNREVIEWED } from "./proposal.ts";
import { nothingToDo } from "./refusals.ts";
import type { ProposalRepository } from "./repository.ts";

/** The proposer's notes on a proposal. */
export interface ProposalNotes extends Pick<EditRequest, "opId"> {
  readonly field?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly confidence?: Confidence | undefined;
  readonly sourceQuery?: string | undefined;
}

export interface ProposeRequest
  extends ProposedOperation,
    ProposalNotes,
    Pick<EditRequest, "path" | "version" | "sha256"> {}

/** Changes of several files to propose together. */
export interface ProposeFilesRequest extends ProposalNotes {
  readonly files: readonly ProposedFile[];
  /** Returns what is to be stored with the proposal; called once its id is known. */
  readonly noting?: (id: string) => readonly Shelved[];
}

/** A proposal, and the results of its edits, which change nothing yet. */
export interface Proposed {
  readonly proposal: Proposal;
  readonly results: readonly EditResult[];
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
      async (opId) => this.#first(actor, opId),
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
    const aim = AIMS[operation];
    const edit = await this.#resolve(actor, { kind: operation, aim, path, plan, version, sha256 });
    if (isRefusal(edit)) return edit;
    if (edit.resolved.splices.length === 0) return nothingToDo(edit.document.path);
    const { text } = edit.resolved.base;
    const part = editPart(edit, {
      operation,
      currentValue: operation === "full_replace" ? text.toString() : oldContent,
      proposedValue: proposedValue ?? patch,
    });
    return this.#add(actor, [part], request, [edit.document]);
  }

  /** Creates a proposal of several files; all of them are resolved at once, with every reason of a refusal. */
  createOfFiles(actor: Actor, request: ProposeFilesRequest): Promise<Proposed | RefusedEdits> {
    return this.#once.run<Proposed | RefusedEdits>(
      actor.agent,
      request.opId,
      async (opId) => {
        const proposal = this.#first(actor, opId);
        if (isRefusal(proposal)) return { refused: [{ refusal: proposal }] };
        return proposal && { proposal, results: [] };
      },
      () => this.#createOfFiles(actor, request),
    );
  }

  async #createOfFiles(actor: Actor, request: ProposeFilesRequest): Promise<Proposed | RefusedEdits> {
    const full = this.#repository.refusal(actor.agent, 1);
    if (full !== undefined) return { refused: [{ refusal: full }] };
    const made = await partsOf(this.#workspace, actor, request.files);
    if (isRefused(made)) return made;
    const proposal = await this.#add(actor, made.parts, request, made.documents, request.noting);
    if (isRefusal(proposal)) return { refused: [{ refusal: proposal }] };
    return { proposal, results: made.edits.map((edit) => proposedResult(edit, proposal)) };
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
    if (edit.resolved.splices.length === 0) return unchangedResult(edit);
    const { message: reasoning, opId } = request;
    const part = editPart(edit, describeEdit(request, edit.resolved));
    const proposal = await this.#add(actor, [part], { reasoning, opId }, [edit.document]);
    return isRefusal(proposal) ? proposal : proposedResult(edit, proposal);
  }

  /** Answers with the proposal that an `opId` made before. Its edit is not planned again: it may have been made since. */
  async #proposedBefore(
    actor: Actor,
    request: EditRequest,
    opId: string,
  ): Promise<Outcome<EditResult> | undefined> {
    const first = this.#first(actor, opId);
    if (first === undefined || isRefusal(first)) return first;
    const { kind, path } = request;
    const edit = await this.#resolve(actor, { kind, path, plan: PLAN_NOTHING });
    return isRefusal(edit) ? edit : proposedResult(edit, first);
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

  /** Returns the proposal that an `opId` made; refuses an `opId` of another request. */
  #first({ agent, asked }: Actor, opId: string): Outcome<Proposal> | undefined {
    const first = this.#repository.first(agent, opId);
    return first !== undefined && isOtherRequest(first.asked, asked) ? opIdRefusal(opId) : first;
  }

  /** Stores a proposal, once the versions that it is based on are durable. */
  async #add(
    actor: Actor,
    parts: readonly Part[],
    { reasoning = "", confidence = "medium", field, sourceQuery, opId }: ProposalNotes,
    documents: readonly Document[],
    noting?: ProposeFilesRequest["noting"],
  ): Promise<Outcome<Proposal>> {
    const details = {
      reasoning: reasoningOf(reasoning),
      confidence,
      field: field ?? null,
      sourceQuery: sourceQuery ?? null,
    };
    const { asked } = actor;
    const repeatable = { ...(opId !== undefined && { opId }), ...(asked !== undefined && { asked }) };
    const proposal = { ...this.#pending(actor, parts, details), ...repeatable };
    const durable = Promise.all(documents.map((document) => document.durable));
    const failure = await storeFailure(durable);
    return failure === undefined ? this.#repository.add(proposal, noting) : storeRefusal(failure);
  }

  /** Drafts a proposal to be stored with a change: the side of a conflict that gave way to it. */
  draftInstead(author: Actor, draft: Draft, splices: readonly Splice[], reasoning: string): Proposal {
    const anchored = { base: draft.answer.version, splices };
    const part = losingPart(draft.edit.document, textAfter(draft), anchored);
    return this.#pending(author, [part], { reasoning, confidence: "medium", field: null, sourceQuery: null });
  }

  #pending(actor: Actor, parts: readonly Part[], details: ProposalDetails): Proposal {
    return {
      id: this.#workspace.newId("prop"),
      parts,
      ...details,
      status: "pending",
      createdAt: new Date(this.#workspace.ports.clock.now()).toISOString(),
      ...UNREVIEWED,
      agentId: actor.agent,
      author: actor.name,
      ...(actor.answers !== undefined && { answers: actor.answers }),
      approvals: [],
    };
  }
}

/** Returns the result of an edit that became a part of a proposal. */
function proposedResult(edit: ResolvedEdit, { id, parts }: Proposal): EditResult {
  const { document, request } = edit;
  const splices = parts.find(({ docId }) => docId === document.id)?.splices ?? [];
  const summary = `proposed: ${sizeOf(splices)} chars (${request.kind}); waits for approval as ${id}`;
  return { ...unchangedResult(edit), mirrored: false, proposal: id, summary };
}
