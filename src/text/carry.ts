import { type Overlap, rebase } from "./delta.ts";
import { merge } from "./merge.ts";
import { growth, type Splice } from "./splice.ts";
import type { Text } from "./text.ts";

interface CarriedEdit {
  /** The splices that apply the edit to the newest text. */
  readonly splices: readonly Splice[];
  /** Places, in positions of the base, where others (`ours`) changed the same characters as the edit (`theirs`). */
  readonly conflicts: readonly Overlap[];
}

/**
 * Carries an edit of `base` over to `now` by a three-way merge of the base, `now` and the edited base. Among identical
 * lines the texts alone do not show where an edit belongs. `since`, the splices that others made from `base` to `now`,
 * shows it. The result ignores `since` where it would apply text twice or report a conflict that the merge does not
 * have.
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

/** Returns true when others deleted or replaced all the text that an edit changes. */
export function isOverwritten(splices: readonly Splice[], conflicts: readonly Overlap[]): boolean {
  return splices.every(({ from, to }) =>
    conflicts.some(({ ours }) =>
      from === to ? ours.from < from && from < ours.to : ours.from <= from && to <= ours.to,
    ),
  );
}
