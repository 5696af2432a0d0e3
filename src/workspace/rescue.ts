import { type Overlap, rebase } from "../text/delta.ts";
import { diff } from "../text/diff.ts";
import { merge } from "../text/merge.ts";
import type { Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";

/**
 * What gives back the edits that a stale save took out: the three-way merge of the save with what the file
 * held before (`known`), from the version that it was made from. The splices are in the positions of `now`,
 * which is the text after the save was taken in beside what the file did not hold yet. The conflicts are in those of
 * `base`, the overlaps with what the file did not hold yet in those of `saved`.
 */
export function rescue(
  base: Text,
  known: Text,
  saved: Text,
  now: Text,
): {
  /** What the file would hold if it held all before. */
  readonly merged: Text;
  readonly splices: readonly Splice[];
  readonly conflicts: readonly Overlap[];
  readonly overlaps: readonly Overlap[];
} {
  const text = saved.toString();
  const merged = merge(base.toString(), known.toString(), text);
  const back = diff(text, merged.text);
  const pending = now.equals(saved) ? [] : diff(text, now.toString());
  return { ...rebase(back, pending), merged: saved.splice(back), conflicts: merged.conflicts };
}
