import { StoreError } from "../../store/store.ts";
import { normalize } from "../../text/splice.ts";
import type { Actor } from "../actor.ts";
import { digestNow } from "../digest.ts";
import type { Document } from "../document.ts";
import {
  type EditRequest,
  type EditResult,
  type Resolved,
  resolve,
  sizeRefusal,
  unchanged,
} from "../edit.ts";
import { InTurn } from "../in-turn.ts";
import { storeRefusal } from "../problems.ts";
import { isRefusal, type Outcome, type Refusal } from "../refusal.ts";
import { versionOf } from "../version.ts";
import type { Workspace } from "../workspace.ts";
import { planWish, type Wish } from "./plan.ts";
import { type Confidence, type Proposal, type Said, UNREVIEWED } from "./proposal.ts";
import { nothingToDo, tooMany } from "./refusals.ts";
import { reasoningOf, saidOf, sizeOf } from "./said.ts";
import type { ProposalShelf } from "./shelf.ts";
import { diffOf } from "./show.ts";

export interface ProposeRequest extends Wish, Pick<EditRequest, "path" | "version" | "sha256" | "opId"> {
  readonly field?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly confidence?: Confidence | undefined;
  readonly source_query?: string | undefined;
}

/** Of one document, so that an agent that nobody reviews does not fill the store (I15). */
const MOST_PENDING = 1000;

/** Makes proposals of edits. The same `opId` of the same agent is answered with the first one. */
export class Proposer {
  readonly #workspace: Workspace;
  readonly #shelf: ProposalShelf;
  readonly #turns = new InTurn();

  constructor(workspace: Workspace, shelf: ProposalShelf) {
    this.#workspace = workspace;
    this.#shelf = shelf;
  }

  async create(actor: Actor, request: ProposeRequest): Promise<Outcome<Proposal>> {
    const plan = planWish(request);
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
    const document = await this.#workspace.open(request.path);
    if (isRefusal(document)) return document;
    const { path, version, text, content, pendingWrites } = document;
    const first = this.#first(actor, request.opId);
    const resolved = first === undefined ? resolve(document, request) : undefined;
    if (isRefusal(resolved)) return resolved;
    if (resolved?.splices.length === 0) return unchanged(document, request, resolved);
    const made = first ?? (await this.#once(actor, request, (found) => saidOf(request, found)));
    if (isRefusal(made)) return made;
    return {
      changeId: null,
      proposal: made.id,
      path,
      version,
      sha256: digestNow(content) ?? null,
      summary: `proposed: ${sizeOf(made.splices)} chars (${request.kind}); waits for approval as ${made.id}`,
      splices: [],
      durable: true,
      mirrored: pendingWrites === 0,
      merged: resolved?.merged ?? false,
      conflicts: resolved?.conflicts ?? [],
      ...(resolved?.plan.applied && { applied: resolved.plan.applied }),
      before: text,
      base: resolved?.base.text ?? text,
    };
  }

  async #once(
    actor: Actor,
    request: EditRequest,
    say: (resolved: Resolved) => Said,
  ): Promise<Outcome<Proposal>> {
    const { opId } = request;
    if (opId === undefined) return this.#propose(actor, request, say);
    const work = async () => this.#first(actor, opId) ?? this.#propose(actor, request, say);
    return this.#turns.do(`${actor.agent} ${opId}`, work);
  }

  #first({ agent }: Actor, opId: string | undefined): Proposal | undefined {
    if (opId === undefined) return undefined;
    return this.#shelf.all().find((proposal) => proposal.agent_id === agent && proposal.opId === opId);
  }

  async #propose(
    actor: Actor,
    request: EditRequest,
    say: (resolved: Resolved) => Said,
  ): Promise<Outcome<Proposal>> {
    const document = await this.#workspace.open(request.path);
    if (isRefusal(document)) return document;
    const resolved = resolve(document, request);
    if (isRefusal(resolved)) return resolved;
    const refused = this.#refused(resolved, document);
    if (refused !== undefined) return refused;
    const { seq, text } = resolved.base;
    const splices = normalize(resolved.plan.splices);
    const proposal: Proposal = {
      id: this.#workspace.newId("prop"),
      docId: document.id,
      path: document.path,
      ...say(resolved),
      status: "pending",
      created_at: new Date(this.#workspace.ports.clock.now()).toISOString(),
      ...UNREVIEWED,
      agent_id: actor.agent,
      author: actor.name,
      ...(request.opId !== undefined && { opId: request.opId }),
      base: versionOf(document.past.change(seq)!),
      splices,
      approvals: [],
      diff: diffOf({ now: text, splices }, document.path).diff,
    };
    try {
      await document.durable; // what it stands on is kept
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return storeRefusal(error);
    }
    return this.#shelf.put(proposal);
  }

  #refused({ splices }: Resolved, document: Document): Refusal | undefined {
    const { path } = document;
    if (splices.length === 0) return nothingToDo(path);
    const pending = this.#shelf.all(path).filter(({ status }) => status === "pending").length;
    if (pending >= MOST_PENDING) return tooMany(path, pending);
    return sizeRefusal(document, splices, this.#workspace.limits.maxFileBytes);
  }
}
