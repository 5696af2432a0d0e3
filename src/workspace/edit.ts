import type { ChangeRecord, Seq } from "../store/store.ts";
import type { Overlap } from "../text/delta.ts";
import type { Splice } from "../text/splice.ts";
import { Text } from "../text/text.ts";
import type { Actor } from "./actor.ts";
import { Confirmations } from "./confirmations.ts";
import type { Keep } from "./document-parts.ts";
import type { Kept } from "./edit-result.ts";
import type { Plan, Planner } from "./edits/plan.ts";
import { absent } from "./permission.ts";
import { isRefusal, type Outcome } from "./refusal.ts";
import { type Made, type Together, type TogetherOptions, together } from "./together.ts";
import type { Version } from "./version.ts";
import type { Workspace } from "./workspace.ts";

/** One edit of one document, whatever its form. */
export interface EditRequest {
  /** The method's short name: `replace`, `patch`, …; `append` is for what adds at the end and needs no more than that. */
  readonly kind: string;
  readonly path: string;
  readonly plan: Planner;
  /** The base that the caller saw; the newest text when neither is given. */
  readonly version?: Version | undefined;
  readonly sha256?: string | undefined;
  readonly onStale?: "merge" | "reject" | undefined;
  readonly ack?: "mirrored" | "durable" | undefined;
  readonly opId?: string | undefined;
  readonly message?: string | undefined;
  readonly confirm?: string | undefined;
  /** Takes back an earlier change: refused where later edits changed the same text. */
  readonly undoes?: ChangeRecord;
  /** Where the change comes from, where that is not its author. */
  readonly origin?: "proposal";
}

export interface EditResult {
  /** Null when nothing was left to change. */
  readonly changeId: string | null;
  readonly path: string;
  readonly version: Version;
  /** Null for a large document whose bytes were not waited for (`ack: "durable"`). */
  readonly sha256: string | null;
  readonly summary: string;
  /** In the positions of `before`. */
  readonly splices: readonly Splice[];
  readonly durable: boolean;
  readonly mirrored: boolean;
  /** Others had changed the document since the base. */
  readonly merged: boolean;
  /** In base positions: both sides changed the same characters; both texts stay. */
  readonly conflicts: readonly Overlap[];
  readonly applied?: Plan["applied"];
  /** The proposal that the edit became, because it has to be approved first; nothing was changed. */
  readonly proposal?: string;
  /** The text that the splices were applied to, and the one that the edit was made against; not sent. */
  readonly before: Text;
  readonly base: Text;
}

/** What is stored of an answer, to give it again. */
interface Answered {
  readonly docId: string;
  readonly seq: Seq;
  readonly baseSeq: Seq;
  readonly kept: Kept;
}

/** Makes edits. The one way in which an agent's text reaches a document. */
export class Editor {
  readonly #workspace: Workspace;
  readonly #confirmations: Confirmations;
  readonly #running = new Map<string, Promise<Outcome<EditResult>>>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#confirmations = new Confirmations(workspace.newId);
  }

  /**
   * Makes one edit: resolved strictly against the base that it names, merged over what happened since,
   * journaled, and answered when that is durable and, unless asked otherwise, on disk. A refusal leaves no
   * trace (I13). The same `opId` of the same agent gets the first answer again, also after a restart.
   */
  async edit(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    if (request.opId === undefined) return this.#make(actor, request);
    const key = JSON.stringify([actor.agent, request.opId]);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const making = this.#answered(actor, request, request.opId);
    this.#running.set(key, making);
    try {
      return await making;
    } finally {
      this.#running.delete(key);
    }
  }

  /**
   * Makes one edit of each of several documents, all or none (I13): in memory, in the store and through a crash.
   * Answered as a single edit is. The requests' own `opId` is not looked at: what the caller keeps of its answer
   * goes with `options.keep`.
   */
  together(actor: Actor, requests: readonly EditRequest[], options: TogetherOptions = {}): Promise<Together> {
    return together(this.#workspace, this.#confirmations, actor, requests, options);
  }

  /** The answer given before, if its change is still there; one that the store took back is made anew. */
  async #answered(actor: Actor, request: EditRequest, opId: string): Promise<Outcome<EditResult>> {
    const { store } = this.#workspace.ports;
    const answered = store.answer(actor.agent, opId)?.result as Answered | undefined;
    const record = answered && store.document(answered.docId);
    if (answered === undefined || record === undefined) return this.#make(actor, request);
    // What the token allowed then it may not allow now.
    if (!actor.rights.allows(record.path, "read")) return absent(request.path);
    const { docId, seq, baseSeq, kept } = answered;
    // Opening takes back what was stored after a change that was not.
    const document = await this.#workspace.open(record.path);
    const change = isRefusal(document) ? this.#workspace.storedChange(docId, seq) : document.past.change(seq);
    // The store took the change back, or never had the document.
    if (change?.id !== kept.changeId || !store.snapshot(docId)) return this.#make(actor, request);
    if (isRefusal(document)) {
      const gone = { splices: [], conflicts: [], before: Text.empty, base: Text.empty };
      return { ...kept, ...gone, mirrored: false, sha256: null };
    }
    if (document.id !== docId) return this.#make(actor, request); // the store refused to create that one
    const { past, mirror } = document;
    return {
      ...kept,
      mirrored: request.ack === "durable" ? document.holds(seq) : await mirror.reached(seq),
      sha256: past.change(seq)?.sha256 ?? null,
      before: past.textAt(seq - 1) ?? Text.empty,
      base: past.textAt(baseSeq) ?? Text.empty,
    };
  }

  async #make(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    const { opId } = request;
    const keep = ([made]: readonly Made[]): Keep =>
      opId === undefined || made?.change === undefined
        ? {}
        : {
            answer: {
              agent: actor.agent,
              opId,
              time: made.change.time,
              result: answeredOf(made, made.change),
            },
          };
    const result = await this.together(actor, [request], { keep });
    return "made" in result ? result.made[0]! : result.refused[0]!.refusal;
  }
}

function answeredOf({ docId, baseSeq, kept }: Made, { seq }: ChangeRecord): Answered {
  return { docId, seq, baseSeq, kept };
}
