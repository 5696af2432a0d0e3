import type { Clock } from "../../mirror/clock.ts";
import { programState } from "../../own-program.ts";

/** The time between two looks at the program, and the time for which npm may still be writing it; milliseconds. */
const LOOK_MS = 5_000;
const WRITING_MS = 10_000;

/** Resolves once the program of this process has been replaced for a while, or `signal` aborts. */
export async function replaced(clock: Clock, signal: AbortSignal): Promise<void> {
  for (let ms = 0; !signal.aborted && ms < WRITING_MS; ms = programState() === "replaced" ? ms + LOOK_MS : 0)
    await clock.sleep(LOOK_MS, signal);
}
