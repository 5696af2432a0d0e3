import type { Clock } from "../../mirror/clock.ts";
import type { Seq, Store } from "../../store/store.ts";

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

/** The first of a document's changes that is younger than `keepMs`, or that a pin needs. */
export function keepFrom(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  pins: HistoryPins,
  docId: string,
  keepMs: number,
): Seq {
  const cutoff = clock.now() - keepMs;
  let first: Seq = 0;
  for (const { seq, time } of store.changes(docId)) {
    first = seq;
    if (time < cutoff) break;
  }
  return Math.min(first, pins.first(docId));
}
