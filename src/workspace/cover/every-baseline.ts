import type { Baseline, BaselineStore } from "../../store/baselines.ts";
import { type Elapsing, pauses } from "../../work/pause.ts";

/** Returns all stored baselines in the order of their paths; other requests continue in between. */
export function everyBaseline(store: BaselineStore, clock: Elapsing): AsyncIterable<Baseline> {
  return inTurns(store.list(), clock);
}

/** Yields all values; other requests continue in between (I14). */
export async function* inTurns<T>(all: Iterable<T>, clock: Elapsing): AsyncIterable<T> {
  const pause = pauses(clock);
  for (const one of all) {
    const rest = pause();
    if (rest !== undefined) await rest;
    yield one;
  }
}
