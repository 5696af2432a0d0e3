import { type Overlap, rebase } from "./delta.ts";
import { merge } from "./merge.ts";
import { growth, type Splice } from "./splice.ts";
import type { Text } from "./text.ts";

export interface CarriedEdit {
  /** What makes the newest text into what the edit wants of it. */
  readonly splices: readonly Splice[];
  /** In positions of the base: others (`ours`) changed the same characters as the edit (`theirs`). */
  readonly conflicts: readonly Overlap[];
}

/**
 * Carries an edit of `base` to `now`: the three-way merge of base, now, and what the edit makes of the base.
 * Among lines that are alike the texts do not tell where an edit belongs; `since`, what others did from base
 * to now, does. It is left out where it would double what they did, too, or see a conflict that is none.
 */
export function carry(
  base: Text,
  now: Text,
  splices: readonly Splice[],
  since: readonly Splice[] | undefined,
): CarriedEdit {
  const merged = merge(base.toString(), now.toString(), base.splice(splices).toString());
  if (since === undefined) return merged;
  const { splices: rebased, overlaps } = rebase(splices, since);
  const sure = overlaps.length === 0 && growth(rebased) === growth(merged.splices);
  return sure ? { splices: rebased, conflicts: [] } : merged;
}

/** True when others took out or replaced all the text that an edit is about. */
export function isOverwritten(splices: readonly Splice[], conflicts: readonly Overlap[]): boolean {
  return splices.every(({ from, to }) =>
    conflicts.some(({ ours }) =>
      from === to ? ours.from < from && from < ours.to : ours.from <= from && to <= ours.to,
    ),
  );
}
