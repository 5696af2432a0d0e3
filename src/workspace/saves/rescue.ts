import { type Overlap, rebase } from "../../text/delta.ts";
import { diff } from "../../text/diff.ts";
import type { Merge } from "../../text/merge.ts";
import { countsOf, type Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";

/** What gives back the edits that a stale save took out. */
export interface Rescue {
  /** In the positions of the text after the save was taken in as it was. */
  readonly splices: readonly Splice[];
  /** Where the save and what the file did not hold yet changed the same characters, in those of `known`. */
  readonly overlaps: readonly Overlap[];
}

/**
 * Makes `now`, the text after a stale save was taken in as it was, into what it would be had the save been made from
 * `known`, which the file held before. `merged` is the save merged into that, `pending` what the file did not hold
 * yet. Of the two orders for what both put in at one place, the one of `now` stays.
 */
export function rescue(known: Text, { splices }: Merge, pending: readonly Splice[], now: Text): Rescue {
  const carried = rebase(splices, pending);
  const before = now.toString();
  const pendingFirst = known.splice(pending).splice(carried.splices).toString();
  const saveFirst = known.splice(splices).splice(rebase(pending, splices).splices).toString();
  const [one, other] = [diff(before, pendingFirst), diff(before, saveFirst)];
  return { splices: sizeOf(other) < sizeOf(one) ? other : one, overlaps: carried.overlaps };
}

function sizeOf(splices: readonly Splice[]): number {
  const { added, removed } = countsOf(splices);
  return added + removed;
}
