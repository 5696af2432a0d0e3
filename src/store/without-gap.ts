import type { JournalEntry, Seq } from "./store.ts";

/**
 * Returns a journal up to its first gap after change `last`. The changes after the gap are rolled back, because the store
 * refused the change before them.
 */
export function withoutGap(journal: readonly JournalEntry[], last: Seq): JournalEntry[] {
  return journal.filter(({ change }, i) => change.seq === last + 1 + i);
}
