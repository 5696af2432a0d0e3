import type { Clock } from "../../mirror/clock.ts";
import { firstSeqOf, type Seq, type Store } from "../../store/store.ts";

/** The first of a document's changes that something still builds on; undefined where nothing does. */
export type Pin = (docId: string) => Seq | undefined;

/** The history that features need. Each feature registers a pin, so that retention knows no feature by name. */
export class HistoryPins {
  readonly #pins: Pin[] = [];

  add(pin: Pin): void {
    this.#pins.push(pin);
  }

  /** The first change of a document that any feature needs; infinite when none needs any. */
  first(docId: string): Seq {
    return Math.min(...this.#pins.map((pin) => pin(docId) ?? Number.POSITIVE_INFINITY));
  }
}

/** The first change of the oldest entry of a document's history that is younger than `keepMs`, or that a pin needs. */
export function keepFrom(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  pins: HistoryPins,
  docId: string,
  keepMs: number,
): Seq {
  const cutoff = clock.now() - keepMs;
  let first: Seq = 0;
  for (const entry of store.changes(docId)) {
    first = firstSeqOf(entry);
    if (entry.time < cutoff) break;
  }
  const pinned = pins.first(docId);
  if (pinned >= first) return first;
  const entry = store.entry(docId, pinned);
  return entry === undefined ? pinned : firstSeqOf(entry);
}
