import { rebase } from "../delta.ts";
import type { Splice } from "../splice.ts";
import type { Text } from "../text.ts";
import { type MergedEdits, mergeEdits } from "./merge-edits.ts";

/**
 * Merges an undo over later edits: it removes and restores exactly its characters, also within words. Restored
 * characters of a word or number that later edits changed, too, are an overlap.
 */
export function takeBack(base: Text, undo: readonly Splice[], since: readonly Splice[]): MergedEdits {
  const { splices, overlaps } = rebase(undo, since);
  const whole = mergeEdits(base, undo, since);
  const restored = whole.overlaps.filter(({ ours }) =>
    undo.some(({ from, to, insert }) => insert !== "" && from >= ours.from && to <= ours.to),
  );
  return { splices, ours: undo, theirs: since, overlaps: [...overlaps, ...restored], close: whole.close };
}
