import { storeFailure } from "../../store/store.ts";
import type { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import { openResolved } from "../edits/apply.ts";
import { prepare } from "../edits/prepare.ts";
import type { EditRequest, EditResult, Ready, Resolved } from "../edits/request.ts";
import { Resolver } from "../edits/resolve.ts";
import { keptOf, sizeOf } from "../edits/result.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { storeRefusal } from "../outcome/refusals.ts";
import { digestNow } from "../versions/digest.ts";
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
  readonly source_query?: string | undefined;
}

const PLAN_NOTHING = () => ({ splices: [] });

/** Makes proposals of edits. The same `opId` of the same agent is answered with the first one. */
export class Proposer {
  readonly #workspace: Workspace;
  readonly #repository: ProposalRepository;
  readonly #order = new KeyedQueue<string>();

  constructor(workspace: Workspace, shelf: ProposalRepository) {
    this.#workspace = workspace;
    this.#repository = shelf;
  }

  async create(actor: Actor, request: ProposeRequest): Promise<Outcome<Proposal>> {
    const plan = planProposal(request);
    if (isRefusal(plan)) return plan;
    const { operation, old_content = "", proposed_value, patch = "", path, version, sha256, opId } = request;
    const { reasoning = "", confidence = "medium", field = null, source_query = null } = request;
    const edit = { kind: operation, path, plan, version, sha256, opId };
    return this.#once(actor, edit, ({ base }) => ({
      field,
      operation,
      current_value: operation === "full_replace" ? base.text.toString() : old_content,
      proposed_value: proposed_value ?? patch,
      reasoning: reasoningOf(reasoning),
      confidence,
      source_query,
    }));
  }

  async proposeInstead(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    const first = this.#first(actor, request.opId);
    const { kind, path } = request;
    // What was proposed once is not looked for again: it may have been made since.
    const asked = first === undefined ? request : { kind, path, plan: PLAN_NOTHING };
    const ready = await this.#ready(actor, asked);
    if (isRefusal(ready)) return ready;
    const { document, resolved } = ready;
    const pointless = first === undefined && resolved.splices.length === 0;
    const made = pointless
      ? undefined
      : await this.#once(actor, request, (found) => describeEdit(request, found));
    if (isRefusal(made)) return made;
    return {
      ...keptOf(ready, undefined),
      splices: [],
      ...(made && { proposal: made.id, summary: summaryOf(made, request) }),
      mirrored: document.pendingWrites === 0,
      sha256: digestNow(document.content) ?? null,
      before: document.text,
      base: resolved.base.text,
    };
  }

  async #once(
    actor: Actor,
    request: EditRequest,
    say: (resolved: Resolved) => ProposalDetails,
  ): Promise<Outcome<Proposal>> {
    const { opId } = request;
    if (opId === undefined) return this.#propose(actor, request, say);
    const work = async () => this.#first(actor, opId) ?? this.#propose(actor, request, say);
    return this.#order.run([JSON.stringify([actor.agent, opId])], work);
  }

  #first({ agent }: Actor, opId: string | undefined): Proposal | undefined {
    return opId === undefined ? undefined : this.#repository.first(agent, opId);
  }

  /** The edit as it could be made now. */
  async #ready(actor: Actor, request: EditRequest): Promise<Outcome<Ready>> {
    const guarded = new GuardedWorkspace(this.#workspace, actor, "propose");
    const resolver = new Resolver(guarded.workers);
    const document = await openResolved(guarded, request, resolver);
    const prepared = prepare([document], [request], this.#workspace.limits.maxFileBytes, resolver);
    return "ready" in prepared ? prepared.ready[0]! : prepared.refused[0]!.refusal;
  }

  async #propose(
    actor: Actor,
    request: EditRequest,
    say: (resolved: Resolved) => ProposalDetails,
  ): Promise<Outcome<Proposal>> {
    const full = this.#repository.refusal(actor.agent, 1); // before anything large is worked out
    if (full !== undefined) return full;
    const ready = await this.#ready(actor, request);
    if (isRefusal(ready)) return ready;
    const { document, resolved } = ready;
    const { path } = document;
    if (resolved.splices.length === 0) return nothingToDo(path);
    const { seq, text } = resolved.base;
    const anchored = { base: versionOf(document.versions.change(seq)!), splices: resolved.own };
    const proposal = {
      ...this.#pending(actor, document, text, anchored, say(resolved)),
      ...(request.opId !== undefined && { opId: request.opId }),
    };
    const failure = await storeFailure(document.durable); // what it stands on is kept
    if (failure !== undefined) return storeRefusal(failure);
    return this.#repository.add(proposal);
  }

  /** A proposal to be stored with a change: what gave way to that, made against the newest text. */
  instead(actor: Actor, document: Document, anchored: Anchored, reasoning: string): Proposal {
    const { text, path } = document;
    const { diff } = diffOf({ now: text, splices: anchored.splices }, path);
    const said: ProposalDetails = {
      field: null,
      operation: "patch",
      current_value: "",
      proposed_value: diff,
      reasoning,
      confidence: "medium",
      source_query: null,
    };
    return this.#pending(actor, document, text, anchored, said);
  }

  #pending(
    actor: Actor,
    document: Document,
    base: Text,
    anchored: Anchored,
    said: ProposalDetails,
  ): Proposal {
    return {
      id: this.#workspace.newId("prop"),
      docId: document.id,
      path: document.path,
      ...said,
      status: "pending",
      created_at: new Date(this.#workspace.ports.clock.now()).toISOString(),
      ...UNREVIEWED,
      agent_id: actor.agent,
      author: actor.name,
      ...anchored,
      approvals: [],
      diff: diffOf({ now: base, splices: anchored.splices }, document.path).diff,
    };
  }
}

function summaryOf({ id, splices }: Proposal, { kind }: EditRequest): string {
  return `proposed: ${sizeOf(splices)} chars (${kind}); waits for approval as ${id}`;
}
