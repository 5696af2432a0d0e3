import { Pair } from "../../src/doc/pair.ts";
import type { Overlap } from "../../src/text/delta.ts";
import { merge } from "../../src/text/merge.ts";
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
    const journal = store.journal(id, snapshot.seq);
    return journal.flatMap(({ change: { id: changeId, beside }, updates }, i): Met | [] => {
      if (beside === undefined || updates.disk === undefined || isHeard(changeId)) return [];
      const replay = (entries: typeof journal, landed: number) =>
        Pair.restore(
          snapshot,
          entries.map(({ change: { seq }, updates }) => ({ seq, updates })),
          landed,
        );
      const [before, after] = [
        replay(journal.slice(0, i), updates.landed ?? snapshot.seq),
        replay(journal.slice(0, i + 1), snapshot.seq),
      ];
      const [base, ours] = [before.disk, before.memory];
      const saved = after.memory.splice(invert(beside.splices, beside.removed));
      before.close();
      after.close();
      return { base, conflicts: merge(`${base}`, `${ours}`, `${saved}`).conflicts };
    });
  });
}
