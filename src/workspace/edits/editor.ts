import type { Seq } from "../../store/store.ts";
import { Text } from "../../text/text.ts";
import { type Actor, actingFor } from "../access/actor.ts";
import { absentRefusal } from "../access/refusals.ts";
import type { Rights } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import { GuardedWorkspace } from "../folder/guarded-workspace.ts";
import { refusalIfIgnored } from "../folder/ignored-path.ts";
import type { Workspace } from "../folder/workspace.ts";
import type { Records } from "../journal/change.ts";
import { isOtherRequest, OncePerOpId } from "../once.ts";
import { confirmedMessage } from "../outcome/message.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import { opIdRefusal } from "../outcome/refusals.ts";
import { digestNow } from "../versions/digest.ts";
import { checkEdit } from "./check.ts";
import { commitEdits } from "./commit.ts";
import { type Draft, draftEdits } from "./draft.ts";
import { type OpenedEdits, openEdits, openTogether } from "./open.ts";
import { prepareEdits } from "./prepare.ts";
import { type PreviewedFile, previewedFile, previewTexts } from "./preview-file.ts";
import { type Preview, Previews, previewMoved, type StoredPreview } from "./previews.ts";
import { type ApplyOptions, recordsOf } from "./records.ts";
import {
  type EditAnswer,
  type EditRequest,
  type EditResult,
  isRefused,
  type RefusedEdit,
  type RefusedEdits,
  type ResolvedEdit,
} from "./request.ts";
import { givenAnswer, pathOf, type StoredAnswer } from "./stored-answer.ts";
import { waitingPreviews } from "./waiting-previews.ts";

/** The results in the order of the requests, or every reason why none of the edits was made. */
export type AppliedEdits = { readonly made: readonly EditResult[] } | RefusedEdits;

/** The ids of a preview, and whether the caller confirms its changes. */
export interface PreviewTokens {
  readonly patchId: string;
  readonly baseHash: string;
  readonly confirm?: boolean | undefined;
}

export interface AppliedPreview {
  readonly stored: StoredPreview;
  readonly made: readonly EditResult[];
}

/** Drafts and the preview that confirmed them, when one had to; valid until the next `await`. */
export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly confirmed: string | undefined;
}

/**
 * Makes edits; only Loro updates and new documents reach a document in another way. An edit goes through these steps.
 * Only `open` waits: from then until the commit has changed memory no other request runs.
 *
 *     open ──► prepare: resolve, decide, check ──► draft ──► commit ──► announce
 */
export class Editor {
  readonly #workspace: Workspace;
  readonly #previews: Previews;
  readonly #once = new OncePerOpId();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#previews = new Previews(workspace);
  }

  /**
   * Makes one edit: resolves it strictly against its base, and merges it over later changes. It answers once the edit
   * is durable and, by default, in the file (`mirrored`). A file that cannot be written does not delay it. A refused
   * edit leaves no trace (I13). Where a save changed the same words, both texts stay; see `PolicyEditor`.
   */
  edit(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    return this.once(actor, request, async () => {
      const applied = await this.apply(actor, [request], { opId: request.opId });
      return isRefused(applied) ? applied.refused[0]!.refusal : applied.made[0]!;
    });
  }

  /**
   * Makes one edit of each of several documents: all of them or none, in memory, in the store and through a crash
   * (I13). This uses the `opId` of the options, and ignores the `opId` of each request.
   */
  async apply(
    actor: Actor,
    requests: readonly EditRequest[],
    options: ApplyOptions = {},
  ): Promise<AppliedEdits> {
    const opened = await this.open(actor, requests);
    const prepared = this.prepare(opened);
    if (isRefused(prepared)) return prepared;
    const drafted = this.draft(actor, prepared.edits, options);
    if (isRefused(drafted)) return drafted;
    const made = await this.commit(actor, drafted, this.recordsOf(actor, drafted.drafts, options));
    return isRefusal(made) ? { refused: [{ refusal: made }] } : { made };
  }

  /** Opens the documents of edits after every long computation; valid until the next `await`. */
  open(actor: Actor, requests: readonly EditRequest[]): Promise<OpenedEdits> {
    return openEdits(new GuardedWorkspace(this.#workspace, actor, "read"), requests, this.#previews);
  }

  /** Resolves, decides and checks edits; `policy` as in `PrepareOptions`. */
  prepare(opened: OpenedEdits, policy?: Pick<Rights, "conflict">): ReturnType<typeof prepareEdits> {
    return prepareEdits(opened, { maxFileBytes: this.#workspace.limits.maxFileBytes, policy });
  }

  /** Checks an edit that its caller resolved. */
  check(edit: ResolvedEdit): Outcome<ResolvedEdit> {
    return checkEdit(edit, this.#workspace.limits.maxFileBytes) ?? edit;
  }

  /** Drafts the changes of edits. Refuses those that need a confirmation, and confirmed ones that are not as shown. */
  draft(actor: Actor, edits: readonly ResolvedEdit[], options: ApplyOptions = {}): Drafts | RefusedEdits {
    const confirmed = edits.find(({ request }) => request.confirm !== undefined)?.request.confirm;
    const refused = this.#unconfirmed(actor, edits, confirmed, options);
    if (refused.length > 0) return { refused };
    return { drafts: draftEdits(actor, edits, options.batch?.id), confirmed };
  }

  /** Returns the records that belong to drafts: their answer, and the record of their batch. */
  recordsOf(actor: Actor, drafts: readonly Draft[], options: ApplyOptions): Records {
    return recordsOf(actor, drafts, options, this.#workspace.ports.clock.now());
  }

  /** Commits drafts with their records. */
  async commit(
    actor: Actor,
    { drafts, confirmed }: Drafts,
    records: Records,
  ): Promise<Outcome<readonly EditResult[]>> {
    const made = await commitEdits(this.#workspace, actor, drafts, records);
    if (!isRefusal(made) && confirmed !== undefined) this.#previews.applied(actor, confirmed, made);
    return made;
  }

  /** Resolves edits that the actor may propose, and stores them as a preview for `applyPreview`; changes nothing. */
  async preview(
    actor: Actor,
    requests: readonly EditRequest[],
    options: ApplyOptions = {},
    others: readonly { readonly file: PreviewedFile; readonly before: Text }[] = [],
  ): Promise<Preview | RefusedEdits> {
    const guarded = new GuardedWorkspace(this.#workspace, actor, "propose");
    const prepared = this.prepare(await openTogether(guarded, requests));
    if (isRefused(prepared)) return prepared;
    const files = others.map(({ file }) => file);
    const stored = this.#previews.store(actor, prepared.edits, options, files);
    if (isRefusal(stored)) return { refused: [{ refusal: stored }] };
    return {
      stored,
      files: [
        ...prepared.edits.map((edit) => previewTexts(previewedFile(edit), edit.document.text)),
        ...others.map(({ file, before }) => previewTexts(file, before)),
      ],
    };
  }

  /** Makes exactly the edits of a preview, all or none, and once. */
  async applyPreview(actor: Actor, tokens: PreviewTokens): Promise<Outcome<AppliedPreview>> {
    const stored = this.findPreview(actor, tokens);
    if (isRefusal(stored)) return stored;
    const { patchId } = stored;
    const isOwn = actor.agent === stored.author.agent;
    const requests = isOwn
      ? stored.requests
      : stored.requests.map((one) => ({ ...one, message: confirmedMessage(one.message, actor.name) }));
    const applied = await this.apply(actingFor(actor, stored.author), requests, stored.options);
    if (isRefused(applied)) return movedSince(stored, applied.refused);
    this.#previews.applied(actor, patchId, applied.made);
    return { stored, made: applied.made };
  }

  /** Finds a preview to apply; refuses one that needs a confirmation first. */
  findPreview(actor: Actor, { patchId, baseHash, confirm }: PreviewTokens): Outcome<StoredPreview> {
    const stored = this.#previews.find(actor, patchId, baseHash);
    if (isRefusal(stored) || stored.confirm === undefined || confirm === true) return stored;
    return new Refusal("CONFIRMATION_REQUIRED", `not applied yet: ${stored.confirm}`, {
      suggestion: "Check that the place is right, then call preview.apply again with confirm: true.",
      details: { patchId, baseHash, reason: stored.confirm },
    });
  }

  /** Notes that a preview became a batch or a proposal, so that it cannot be applied again. */
  previewTaken(actor: Actor, { patchId }: StoredPreview, made: readonly EditResult[] = []): void {
    this.#previews.applied(actor, patchId, made);
  }

  /** Lists the previews that wait for a confirmation, as far as the actor may read their documents. */
  waiting(actor: Actor): ReturnType<typeof waitingPreviews> {
    return waitingPreviews(new GuardedWorkspace(this.#workspace, actor, "read"), this.#previews);
  }

  /** Does the work of a request, unless its `opId` was answered before: then it returns that answer. */
  once(
    actor: Actor,
    request: Pick<EditRequest, "opId" | "ack">,
    work: () => Promise<Outcome<EditResult>>,
  ): Promise<Outcome<EditResult>> {
    return this.#once.run(actor.agent, request.opId, () => this.earlierAnswer(actor, request), work);
  }

  /** Returns the earlier answer to an `opId`; undefined when there is none, or the store rolled its change back. */
  async earlierAnswer(
    actor: Actor,
    { opId, ack }: Pick<EditRequest, "opId" | "ack">,
  ): Promise<Outcome<EditResult> | undefined> {
    const { store, ignored } = this.#workspace.ports;
    const first = opId === undefined ? undefined : store.answer(actor.agent, opId);
    if (first === undefined) return undefined;
    const answered = first.result as StoredAnswer | object;
    if (!("docId" in answered)) return opIdRefusal(first.opId);
    const record = store.document(answered.docId);
    if (record === undefined) return undefined;
    const { docId, seq } = answered;
    // The token may be allowed less than it was at the first answer.
    const isReadable = actor.rights.allows(record.path, "read");
    const refused = isReadable ? refusalIfIgnored(ignored, record.path) : absentRefusal(pathOf(answered));
    if (refused !== undefined) return refused;
    if (isOtherRequest(first.asked, actor.asked)) return opIdRefusal(first.opId);
    // Opening rolls back the changes in the store after a refused change.
    const document = (await this.#workspace.openedById(docId)) ?? absentRefusal(pathOf(answered));
    const change = isRefusal(document)
      ? this.#workspace.storedChange(docId, seq)
      : document.versions.change(seq);
    const given = givenAnswer(answered, change);
    if (given === undefined || !store.snapshot(docId)) return undefined;
    const gone = { splices: [], conflicts: [], before: Text.empty, base: Text.empty };
    if (isRefusal(document)) return { ...given, ...gone, mirrored: false, sha256: null };
    // Another document is there: the store refused to create the first one.
    return document.id === docId ? answerAgain(document, answered, given, ack) : undefined;
  }

  /** Stores edits that need a confirmation as a preview and returns their refusals; none for a confirmed preview. */
  #unconfirmed(
    actor: Actor,
    edits: readonly ResolvedEdit[],
    confirmed: string | undefined,
    options: ApplyOptions,
  ): readonly RefusedEdit[] {
    if (confirmed !== undefined) {
      const refusal = this.#previews.mismatch(confirmed, edits);
      return refusal === undefined ? [] : [{ refusal }];
    }
    if (edits.every(({ resolved }) => resolved.plan.confirm === undefined)) return [];
    const stored = this.#previews.store(actor, edits, options);
    if (isRefusal(stored)) return [{ refusal: stored }];
    return edits.flatMap(({ resolved: { plan } }, index) =>
      plan.confirm === undefined ? [] : [{ index, refusal: confirmationRefusal(stored, plan, plan.confirm) }],
    );
  }
}

async function answerAgain(
  document: Document,
  { seq, baseSeq }: StoredAnswer,
  given: EditAnswer,
  ack: EditRequest["ack"],
): Promise<EditResult> {
  return {
    ...given,
    mirrored: ack === "durable" ? document.holds(seq) : await document.mirror.reached(seq),
    sha256: sha256At(document, seq),
    before: document.versions.textAt(seq - 1) ?? Text.empty,
    base: document.versions.textAt(baseSeq) ?? Text.empty,
  };
}

/** Returns the hash of a version; null for one that is too large to hash at once. */
function sha256At({ versions, content: { bom } }: Document, seq: Seq): string | null {
  const text = versions.textAt(seq);
  return versions.change(seq)?.sha256 ?? (text && digestNow({ bom, text })) ?? null;
}

function confirmationRefusal(
  { patchId, baseHash }: StoredPreview,
  { applied, inexactHunks: hunks, splices }: ResolvedEdit["resolved"]["plan"],
  reason: string,
): Refusal {
  return new Refusal("CONFIRMATION_REQUIRED", `not applied yet: ${reason}`, {
    suggestion:
      "Check that the place is right, then call preview.apply with patch_id, base_hash and confirm: true; a single edit may also be sent again with confirm set to the patch_id.",
    details: { patchId, baseHash, reason, applied, hunks, splices },
  });
}

/** Returns the refusal of a preview whose documents moved on; any other reason stays as it is. */
function movedSince({ requests }: StoredPreview, refused: readonly RefusedEdit[]): Refusal {
  const gone = refused.filter(({ refusal: { code } }) => MOVED_ON.has(code));
  if (gone.length === 0) return refused[0]!.refusal;
  const paths = gone.map(({ index = 0 }) => requests[index]!.path);
  return previewMoved(`${paths.join(", ")} changed since it was shown; nothing was applied`, { paths });
}

const MOVED_ON = new Set<Refusal["code"]>(["STALE_VERSION", "NOT_FOUND", "DELETED"]);
