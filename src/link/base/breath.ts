import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../mirror/clock.ts";

/** The time that work goes on before other requests have their turn (I14); milliseconds. */
const BREATH_MS = 10;

/** Returns a call to make between the pieces of long work. From time to time it lets other requests have their turn. */
export function breather(clock: Clock): () => Promise<void> {
  let began = clock.elapsed();
  return async () => {
    if (clock.elapsed() - began < BREATH_MS) return;
    await setImmediate();
    began = clock.elapsed();
  };
}
