import type { Seq } from "../../store/store.ts";
import { Text } from "../../text/text.ts";
import type { Actor } from "../access/actor.ts";
import { absentRefusal } from "../access/refusals.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { Keep } from "../journal/change.ts";
import { confirmedMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { opIdRefusal } from "../outcome/refusals.ts";
import { type Preview, preview, type Together, together } from "./apply.ts";
import { Previews, previewMoved, type StoredPreview } from "./previews.ts";
import type { EditRequest, EditResult, Kept, Made, RefusedEdit, TogetherOptions } from "./request.ts";
import { waitingPreviews } from "./waiting-previews.ts";

/** What is stored of an answer, to give it again. */
interface Answered {
  readonly docId: string;
  readonly seq: Seq;
  readonly baseSeq: Seq;
  readonly kept: Kept;
}

/** The tokens that a preview told, and whether what needs to be looked at was. */
export interface PreviewTokens {
  readonly patchId: string;
  readonly baseHash: string;
  readonly confirm?: boolean | undefined;
}

export interface AppliedPreview {
  readonly shown: StoredPreview;
  readonly made: readonly EditResult[];
}

/** Makes edits. The one way in which an agent's text reaches a document. */
export class Editor {
  readonly #workspace: Workspace;
  readonly #previews: Previews;
  readonly #running = new Map<string, Promise<Outcome<EditResult>>>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#previews = new Previews(workspace);
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
    const making = this.again(actor, request).then((answer) => answer ?? this.#make(actor, request));
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
    return together(this.#workspace, this.#previews, actor, requests, options);
  }

  /** Shows what edits would do, and remembers it for `applyPreview`; changes nothing. */
  preview(
    actor: Actor,
    requests: readonly EditRequest[],
    options: TogetherOptions = {},
  ): Promise<Preview | { readonly refused: readonly RefusedEdit[] }> {
    return preview(this.#workspace, this.#previews, actor, requests, options);
  }

  /** Makes exactly what was shown, all or none, and once; anything else has to be shown again. */
  async applyPreview(
    actor: Actor,
    { patchId, baseHash, confirm }: PreviewTokens,
  ): Promise<Outcome<AppliedPreview>> {
    const shown = this.#previews.find(actor, patchId, baseHash);
    if (isRefusal(shown)) return shown;
    if (shown.confirm !== undefined && confirm !== true)
      return new Refusal("CONFIRMATION_REQUIRED", `not applied yet: ${shown.confirm}`, {
        suggestion: "Check that the place is right, then call preview.apply again with confirm: true.",
        details: { patch_id: patchId, base_hash: baseHash, reason: shown.confirm },
      });
    // What the one who applies it may do counts, and the author's name stands.
    const author = { ...actor, ...shown.author };
    const own = actor.agent === shown.author.agent;
    const requests = own
      ? shown.requests
      : shown.requests.map((one) => ({ ...one, message: confirmedMessage(one.message, actor.name) }));
    const result = await this.together(author, requests, shown.options);
    if ("refused" in result) return sinceShown(shown, result.refused);
    this.#previews.applied(actor, patchId, result.made);
    return { shown, made: result.made };
  }

  /** The previews that wait for somebody to confirm them, as far as an actor may read their documents. */
  waiting(actor: Actor): ReturnType<typeof waitingPreviews> {
    return waitingPreviews(new GuardedWorkspace(this.#workspace, actor, "read"), this.#previews);
  }

  /** The answer given before under an `opId`; undefined where there is none, or the store took its change back. */
  async again(
    actor: Actor,
    { opId, ack }: Pick<EditRequest, "opId" | "ack">,
  ): Promise<Outcome<EditResult> | undefined> {
    if (opId === undefined) return undefined;
    const { store } = this.#workspace.ports;
    const answered = store.answer(actor.agent, opId)?.result as Answered | undefined;
    if (answered !== undefined && !("docId" in answered)) return opIdRefusal(opId);
    const record = answered && store.document(answered.docId);
    if (answered === undefined || record === undefined) return undefined;
    // What the token allowed then it may not allow now.
    if (!actor.rights.allows(record.path, "read")) return absentRefusal(answered.kept.path);
    const { docId, seq, baseSeq, kept } = answered;
    // Opening takes back what was stored after a change that was not.
    const document = (await this.#workspace.openedById(docId)) ?? absentRefusal(kept.path);
    const change = isRefusal(document)
      ? this.#workspace.storedChange(docId, seq)
      : document.versions.change(seq);
    // The store took the change back, or never had the document.
    if (change?.id !== kept.changeId || !store.snapshot(docId)) return undefined;
    if (isRefusal(document)) {
      const gone = { splices: [], conflicts: [], before: Text.empty, base: Text.empty };
      return { ...kept, ...gone, mirrored: false, sha256: null };
    }
    if (document.id !== docId) return undefined; // the store refused to create that one
    const { versions: past, mirror } = document;
    return {
      ...kept,
      mirrored: ack === "durable" ? document.holds(seq) : await mirror.reached(seq),
      sha256: past.change(seq)?.sha256 ?? null,
      before: past.textAt(seq - 1) ?? Text.empty,
      base: past.textAt(baseSeq) ?? Text.empty,
    };
  }

  async #make(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    const keep = (made: readonly Made[]): Keep => ({
      ...(request.shelve && { shelved: request.shelve(made[0]?.change) }),
      ...answerOf(actor, request, made),
    });
    const result = await this.together(actor, [request], { keep });
    return "made" in result ? result.made[0]! : result.refused[0]!.refusal;
  }
}

/** A document that is not what it was, or not there, is told of as moved on; another reason stays what it is. */
function sinceShown({ requests }: StoredPreview, refused: readonly RefusedEdit[]): Refusal {
  const gone = refused.filter(({ refusal: { code } }) => MOVED_ON.has(code));
  if (gone.length === 0) return refused[0]!.refusal;
  const paths = gone.map(({ index = 0 }) => requests[index]!.path);
  return previewMoved(`${paths.join(", ")} changed since it was shown; nothing was applied`, { paths });
}

const MOVED_ON = new Set<Refusal["code"]>(["STALE_VERSION", "NOT_FOUND", "DELETED"]);

/** What is stored to give an answer again: of several edits the first one's. */
export function answerOf(
  { agent }: Actor,
  { opId }: Pick<EditRequest, "opId">,
  made: readonly Made[],
): Pick<Keep, "answer"> {
  const [first] = made.filter(({ change }) => change !== undefined);
  if (opId === undefined || first?.change === undefined) return {};
  const { docId, baseSeq, kept, change } = first;
  const result: Answered = { docId, seq: change.seq, baseSeq, kept };
  return { answer: { agent, opId, time: change.time, result } };
}
