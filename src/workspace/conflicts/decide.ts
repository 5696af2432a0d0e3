import { rebase } from "../../text/delta.ts";
import type { Splice } from "../../text/splice.ts";
import type { ConflictPolicy } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { type Clash, clashesOf, settledFor } from "./clash.ts";

/** An edit that was rebased onto the newest text. */
export interface RebasedEdit {
  readonly base: { readonly seq: number; readonly text: Document["text"] };
  /** In base positions. */
  readonly own: readonly Splice[];
  /** In positions of the newest text. */
  readonly splices: readonly Splice[];
  readonly conflicts: Parameters<typeof clashesOf>[4];
}

/** The side of a conflict that gave way. */
export interface LosingSide {
  readonly side: "edit" | "save";
  /** The edit that would make this side stand after all, in positions of the text that the decision leaves. */
  readonly splices: readonly Splice[];
}

export interface Decision {
  /** In positions of the newest text. */
  readonly splices: readonly Splice[];
  readonly losing?: LosingSide;
}

/** Code points that a refusal shows of each side. */
const MOST_SHOWN = 400;

/**
 * Decides what an edit does where a save changed the same characters since the edit's base (R6). `merge` keeps both
 * texts, `disk` and `agent` let one side stand, `ask` refuses the edit with both texts.
 */
export function decide(policy: ConflictPolicy, document: Document, edit: RebasedEdit): Outcome<Decision> {
  const { splices } = edit;
  if (policy === "merge" || edit.conflicts.length === 0 || !conflictsWithSave(document, edit))
    return { splices };
  const since = document.versions.since(edit.base.seq) ?? [];
  const clashes = clashesOf(edit.base.text, document.text, edit.own, since, edit.conflicts);
  if (policy === "ask") return conflictRefusal(document, clashes);
  const settled = settledFor(policy, edit.own, since, clashes);
  const side = policy === "disk" ? "edit" : "save";
  return { splices: settled.splices, losing: { side, splices: settled.losing } };
}

/** Returns true when one of the changes that the edit overlaps with came from the file. */
function conflictsWithSave({ versions, head }: Document, { base, own }: RebasedEdit): boolean {
  let carried: readonly Splice[] = own;
  for (let seq = base.seq + 1; seq <= head.seq; seq++) {
    const change = versions.change(seq);
    if (change === undefined) return false;
    const { splices, overlaps } = rebase(carried, change.splices);
    if (change.origin === "disk" && overlaps.length > 0) return true;
    carried = splices;
  }
  return false;
}

function conflictRefusal(document: Document, clashes: readonly Clash[]): Refusal {
  const conflicts = clashes.map(({ now, saved, wanted }) => ({
    line: document.text.lineAt(now.from),
    saved: beginning(saved),
    yours: beginning(wanted),
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

function beginning(text: string): string {
  return Array.from(text).slice(0, MOST_SHOWN).join("");
}
