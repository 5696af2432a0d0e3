import { type Overlap, rebase } from "../delta.ts";
import { diff } from "../diff/diff.ts";
import { growth, type Splice } from "../splice.ts";
import type { Text } from "../text.ts";
import { flipped, mergeTexts } from "./merge.ts";
import { mergeEdits } from "./merge-edits.ts";

interface CarriedEdit {
  /** The splices that apply the edit to the newest text. */
  readonly splices: readonly Splice[];
  /** Places, in positions of the base, where others (`ours`) changed the same words as the edit (`theirs`). */
  readonly overlaps: readonly Overlap[];
  /** The places where they changed words beside the words that the edit changes. */
  readonly close: readonly Overlap[];
  /** True when others deleted or replaced all the text that the edit changes. */
  readonly isOverwritten: boolean;
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
  const { splices: merged, overlaps, close } = mergeTexts(base, now, base.splice(splices));
  const isOverwritten = isCovered(splices, since ?? diff(base.toString(), now.toString()));
  if (since !== undefined) {
    const rebased = mergeEdits(base, splices, since);
    if (rebased.overlaps.length === 0 && growth(rebased.splices) === growth(merged))
      return { splices: rebased.splices, overlaps: [], close: rebased.close.map(flipped), isOverwritten };
  }
  return { splices: merged, overlaps, close, isOverwritten };
}

function isCovered(splices: readonly Splice[], others: readonly Splice[]): boolean {
  const { overlaps } = rebase(splices, others);
  return splices.every(({ from, to }) =>
    overlaps.some(({ theirs }) =>
      from === to ? theirs.from < from && from < theirs.to : theirs.from <= from && to <= theirs.to,
    ),
  );
}
