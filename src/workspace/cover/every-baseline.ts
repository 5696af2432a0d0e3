import { setImmediate } from "node:timers/promises";
import type { Baseline, BaselineStore } from "../../store/baselines.ts";

/** Baselines that are read before other requests continue (I14). */
const YIELD_EVERY = 500;

/** Returns all stored baselines in the order of their paths; other requests continue in between. */
export async function* everyBaseline(store: BaselineStore): AsyncIterable<Baseline> {
  let read = 0;
  for (const baseline of store.list()) {
    if (++read % YIELD_EVERY === 0) await setImmediate();
    yield baseline;
  }
}
