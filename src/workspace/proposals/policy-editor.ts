import { type Actor, DISK } from "../access/actor.ts";
import type { LosingSide } from "../conflicts/decide.ts";
import { type Draft, textAfter } from "../edits/draft.ts";
import type { Editor } from "../edits/editor.ts";
import { type EditRequest, type EditResult, isRefused } from "../edits/request.ts";
import { isRefusal, type Outcome } from "../outcome/refusal.ts";
import { seqOf } from "../versions/version.ts";
import type { Proposals } from "./proposals.ts";

/**
 * Makes edits under the conflict policy of their author's token (R6). The losing side of a conflict becomes a proposal.
 * A save that comes while an edit is on its way to the file is merged under every policy.
 */
export class PolicyEditor {
  readonly #editor: Editor;
  readonly #proposals: Proposals;

  constructor(editor: Editor, proposals: Proposals) {
    this.#editor = editor;
    this.#proposals = proposals;
  }

  edit(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    return this.#editor.once(actor, request, () => this.#edit(actor, request));
  }

  async #edit(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    const opened = await this.#editor.open(actor, [request]);
    const prepared = this.#editor.prepare(opened, actor.rights);
    if (isRefused(prepared)) return prepared.refused[0]!.refusal;
    const drafted = this.#editor.draft(actor, prepared.edits);
    if (isRefused(drafted)) return drafted.refused[0]!.refusal;
    const kept = this.#keepLosingSide(actor, drafted.drafts[0]!);
    const drafts = [kept.draft];
    const after = { seq: seqOf(kept.draft.answer.version)!, text: textAfter(kept.draft) };
    const shelved = [...(request.noting?.(after) ?? []), ...(kept.proposal?.records ?? [])];
    const records = this.#editor.recordsOf(actor, drafts, { opId: request.opId, shelved });
    const made = await this.#editor.commit(actor, { ...drafted, drafts }, records);
    if (isRefusal(made)) return made;
    if (kept.proposal !== undefined) this.#proposals.announce(kept.proposal.id);
    return made[0]!;
  }

  /** Drafts a proposal of the side that gave way, and names it in the answer; does nothing where no side did. */
  #keepLosingSide(
    actor: Actor,
    draft: Draft,
  ): { readonly draft: Draft; readonly proposal?: ReturnType<Proposals["draftInstead"]> } {
    const { losing } = draft.edit;
    if (losing === undefined) return { draft };
    const author = losing.side === "edit" ? actor : DISK;
    const proposal = this.#proposals.draftInstead(author, draft, losing.splices, REASONS[losing.side]);
    const summary = `${draft.answer.summary}; ${keptAs(losing, proposal.id)}`;
    return { draft: { ...draft, answer: { ...draft.answer, summary, proposal: proposal.id } }, proposal };
  }
}

const REASONS: Readonly<Record<LosingSide["side"], string>> = {
  save: "The document has an agent's edit of the same text instead of this save.",
  edit: "The document has a save of the same text instead of this edit.",
};

function keptAs({ side }: LosingSide, proposal: string): string {
  return side === "save"
    ? `the overwritten text of a save is now the proposal ${proposal}`
    : `a save of the same text has priority, and your text is now the proposal ${proposal}`;
}
