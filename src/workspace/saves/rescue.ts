import type { Overlap } from "../../text/delta.ts";
import { diff } from "../../text/diff/diff.ts";
import type { Merge } from "../../text/merge/merge.ts";
import { mergeEdits } from "../../text/merge/merge-edits.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { editSize } from "./ranges.ts";

/** The edit that restores the edits that a stale save removed. */
interface Rescue {
  /** In the positions of the text after the daemon imported the save. */
  readonly splices: readonly Splice[];
  /** The places where the save and the pending edits changed the same or adjoining words, in the positions of `known`. */
  readonly overlaps: readonly Overlap[];
}

/**
 * Returns the edit that restores in `now` the edits that a stale save removed. The result is the text that a save
 * made from `known` would have led to. Where the save and a pending edit inserted at one place, the order in `now`
 * remains.
 *
 * - `known` is the text that the file held before the save.
 * - `merge` turns `known` into the save merged with `known`.
 * - `pending` are the edits that the file did not hold yet.
 * - `now` is the text after the daemon imported the save unchanged.
 */
export function rescue(known: Text, { splices }: Merge, pending: readonly Splice[], now: Text): Rescue {
  const { splices: afterPending, overlaps, close } = mergeEdits(known, splices, pending);
  const before = now.toString();
  const pendingFirst = diff(before, known.splice(pending).splice(afterPending).toString());
  const saveFirst = diff(
    before,
    known
      .splice(splices)
      .splice(mergeEdits(known, pending, splices).splices)
      .toString(),
  );
  return {
    splices: editSize(saveFirst) < editSize(pendingFirst) ? saveFirst : pendingFirst,
    overlaps: [...overlaps, ...close],
  };
}
