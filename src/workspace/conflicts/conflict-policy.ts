import type { Shelved } from "../../store/store.ts";
import { rebase } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import { type Actor, DISK } from "../access/actor.ts";
import type { Document } from "../document/document.ts";
import type { Editor } from "../edits/editor.ts";
import type { EditRequest, EditResult, Resolved } from "../edits/request.ts";
import { isRefusal, type Outcome, Refusal } from "../outcome/refusal.ts";
import type { Proposals } from "../proposals/proposals.ts";
import { type Version, versionOf } from "../versions/version.ts";
import { type Clash, clashesOf, settledFor } from "./clash.ts";

/** A side of a conflict that gave way: the edit that would make it stand after all. */
interface Losing {
  readonly author: Actor;
  readonly document: Document;
  /** In the positions of the text that the edit leaves. */
  readonly splices: readonly Splice[];
}

/** Code points that a refusal shows of each side. */
const SHOWN = 400;

/**
 * Makes edits under the policy of their author's token (R6). Where a save changed the same characters since the
 * edit's base, both texts stay (`merge`), one side stands and the other is kept as a proposal (`disk`, `agent`),
 * or the edit is refused with both texts (`ask`). A save that comes while an edit is on its way to the file is
 * merged, whatever the policy.
 */
export class Arbiter {
  readonly #editor: Editor;
  readonly #proposals: Proposals;

  constructor(editor: Editor, proposals: Proposals) {
    this.#editor = editor;
    this.#proposals = proposals;
  }

  async edit(actor: Actor, request: EditRequest): Promise<Outcome<EditResult>> {
    let losing: Losing | undefined;
    let proposal: string | undefined;
    const result = await this.#editor.edit(actor, {
      ...request,
      arbitrate: (document, resolved) => {
        const settled = settle(actor, document, resolved);
        if (isRefusal(settled)) return settled;
        losing = settled.losing;
        return settled.resolved;
      },
      shelve: (change): readonly Shelved[] => {
        if (losing === undefined) return [];
        const { author, document, splices } = losing;
        const base: Version = change === undefined ? document.version : versionOf(change);
        const kept = this.#proposals.keep(author, document, { base, splices }, reasonOf(author));
        proposal = kept.id;
        return kept.records;
      },
    });
    if (isRefusal(result) || losing === undefined || proposal === undefined) return result;
    this.#proposals.tellOf(proposal);
    return { ...result, proposal, summary: `${result.summary}; ${toldOf(losing, proposal)}` };
  }
}

/** What an edit comes to under its author's policy. */
function settle(
  actor: Actor,
  document: Document,
  resolved: Resolved,
): Outcome<{ readonly resolved: Resolved; readonly losing?: Losing }> {
  const policy = actor.rights.conflict(document.path);
  if (policy === "merge" || resolved.conflicts.length === 0 || !isWithSave(document, resolved))
    return { resolved };
  const since = document.versions.since(resolved.base.seq) ?? [];
  const clashes = clashesOf(resolved.base.text, document.text, resolved.own, since, resolved.conflicts);
  if (policy === "ask") return askRefusal(document, clashes);
  const { splices, losing } = settledFor(policy, resolved.own, since, clashes);
  const author = policy === "disk" ? actor : DISK;
  return { resolved: { ...resolved, splices }, losing: { author, document, splices: losing } };
}

/** True when one of the changes that the edit overlaps with came from the file. */
function isWithSave({ versions: past, head }: Document, { base, own }: Resolved): boolean {
  let carried: readonly Splice[] = own;
  for (let seq = base.seq + 1; seq <= head.seq; seq++) {
    const change = past.change(seq);
    if (change === undefined) return false;
    const { splices, overlaps } = rebase(carried, change.splices);
    if (change.origin === "disk" && overlaps.length > 0) return true;
    carried = splices;
  }
  return false;
}

function askRefusal(document: Document, clashes: readonly Clash[]): Refusal {
  const conflicts = clashes.map(({ now, saved, wanted }) => ({
    line: document.text.lineAt(now.from),
    saved: shown(saved),
    yours: shown(wanted),
  }));
  const lines = conflicts.map(({ line }) => line).join(", ");
  return new Refusal(
    "CONFLICT",
    `somebody saved a change of the same text, at line ${lines}; nothing was changed`,
    {
      suggestion:
        "Look at both texts in details.conflicts, or ask the person; then edit the text as it is now.",
      details: { version: document.version, conflicts },
    },
  );
}

function reasonOf(author: Actor): string {
  return author === DISK
    ? "An agent's edit of the same text stands instead of this save."
    : "A save of the same text stands instead of this edit.";
}

function toldOf({ author }: Losing, proposal: string): string {
  return author === DISK
    ? `what was saved there meanwhile is kept as ${proposal}`
    : `where somebody saved meanwhile that stands, and yours is kept as ${proposal}`;
}

function shown(text: string): string {
  return Array.from(text).slice(0, SHOWN).join("");
}
