import { Pair } from "../../src/doc/pair.ts";
import { withoutGap } from "../../src/store/without-gap.ts";
import type { Overlap } from "../../src/text/delta.ts";
import { merge } from "../../src/text/merge/merge.ts";
import { invert } from "../../src/text/splice.ts";
import type { Text } from "../../src/text/text.ts";
import type { MemoryStore } from "../helpers/memory-store.ts";

/** Where a save and edits beside it changed the same words; `base` is the text of the file before. */
interface Met {
  readonly base: Text;
  readonly conflicts: readonly Overlap[];
}

/** Returns the conflicts of the stored saves that no listener heard of, because the daemon died before it reported them. */
export function unreported(store: MemoryStore, isHeard: (changeId: string) => boolean): readonly Met[] {
  return store.documents().flatMap(({ id }) => {
    const snapshot = store.snapshot(id);
    if (snapshot === undefined) return [];
    const journal = withoutGap(store.journal(id, snapshot.seq), snapshot.seq);
    return journal.flatMap(({ change: { id: changeId, beside }, updates }, i): Met | [] => {
      if (beside === undefined || updates.disk === undefined || isHeard(changeId)) return [];
      const [before, after] = [i, i + 1].map((count) =>
        Pair.restore(
          snapshot,
          journal.slice(0, count).map(({ change: { seq }, updates }) => ({ seq, updates })),
          updates.landed ?? snapshot.seq,
        ),
      ) as [Pair, Pair];
      const [base, ours] = [before.disk, before.memory];
      const saved = after.memory.splice(invert(beside.splices, beside.removed));
      before.close();
      after.close();
      return { base, conflicts: merge(`${base}`, `${ours}`, `${saved}`).conflicts };
    });
  });
}
