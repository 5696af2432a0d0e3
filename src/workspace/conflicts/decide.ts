import type { Overlap } from "../../text/delta.ts";
import { type MergedEdits, mergeEdits } from "../../text/merge/merge-edits.ts";
import type { Splice } from "../../text/splice.ts";
import type { ConflictPolicy } from "../access/rights.ts";
import type { Document } from "../document/document.ts";
import { type Outcome, Refusal } from "../outcome/refusal.ts";
import { type Clash, clashesOf, settledFor } from "./clash.ts";

/** The meeting of an edit with the changes since its base. */
type Meeting = Omit<MergedEdits, "splices">;

/** An edit that was rebased onto the newest text. */
export interface RebasedEdit {
  readonly base: { readonly seq: number; readonly text: Document["text"] };
  /** In base positions. */
  readonly own: readonly Splice[];
  /** In positions of the newest text. */
  readonly splices: readonly Splice[];
  readonly merge: Meeting;
}

/** The side of a conflict that gave way. */
export interface LosingSide {
  readonly side: "edit" | "save";
  /** The edit that would keep this side after all, in positions of the text after the decision. */
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
 * Decides the effect of an edit where a save changed the same words since the edit's base (R6). `merge` preserves both
 * texts, `disk` and `agent` preserve one side, `ask` refuses the edit with both texts. `ask` refuses a close merge,
 * too; the other policies make and report it.
 */
export function decide(policy: ConflictPolicy, document: Document, edit: RebasedEdit): Outcome<Decision> {
  const { splices, base, merge } = edit;
  const placesOf = policy === "ask" ? allPlaces : overlapsOnly;
  const places = placesOf(merge);
  if (policy === "merge" || places.length === 0 || !meetsSave(document, edit, placesOf)) return { splices };
  const { ours, theirs } = merge;
  const clashes = clashesOf(base.text, document.text, ours, theirs, places);
  if (policy === "ask") return conflictRefusal(document, clashes);
  const settled = settledFor(policy, ours, theirs, clashes);
  const side = policy === "disk" ? "edit" : "save";
  return { splices: settled.splices, losing: { side, splices: settled.losing } };
}

function allPlaces({ overlaps, close }: Meeting): readonly Overlap[] {
  return [...overlaps, ...close];
}

function overlapsOnly({ overlaps }: Meeting): readonly Overlap[] {
  return overlaps;
}

/** Returns true when one of the changes that the edit meets came from the file. */
function meetsSave(
  { versions, head }: Document,
  { base, own }: RebasedEdit,
  placesOf: typeof allPlaces,
): boolean {
  let carried: readonly Splice[] = own;
  for (let seq = base.seq + 1; seq <= head.seq; seq++) {
    const change = versions.change(seq);
    const text = versions.textAt(seq - 1);
    if (change === undefined || text === undefined) return false;
    const merge = mergeEdits(text, carried, change.splices);
    if (change.origin === "disk" && placesOf(merge).length > 0) return true;
    carried = merge.splices;
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
    `another program saved a change of the same text, at line ${lines}; nothing was changed`,
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
