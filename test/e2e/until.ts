import { setTimeout as pause } from "node:timers/promises";

/** The milliseconds after which a condition has failed; a success takes a fraction of it. */
const DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 20;
/** A condition that does not hold soon is looked at seldomer: most looks ask a daemon. */
const SOON_MS = 200;
const LATER_EVERY_MS = 60;

/**
 * Calls `look` until `holds` is true of its result, and returns that; fails with the last result. For a look that
 * throws, the condition is false.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean = Boolean,
  deadlineMs = DEADLINE_MS,
  everyMs?: number,
): Promise<T> {
  const started = performance.now();
  for (;;) {
    let seen: unknown;
    try {
      const value = await look();
      if (holds(value)) return value;
      seen = value;
    } catch (error) {
      seen = error;
    }
    const waited = performance.now() - started;
    if (waited > deadlineMs)
      throw new Error(`not within ${deadlineMs} ms: ${what}; last seen: ${shown(seen)}`);
    await pause(everyMs ?? (waited < SOON_MS ? LOOK_EVERY_MS : LATER_EVERY_MS));
  }
}

/** Fails when an answer does not arrive in time. */
export async function within<T>(what: string, answer: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  const abort = new AbortController();
  const late = pause(deadlineMs, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`not within ${deadlineMs} ms: ${what}`);
  });
  late.catch(() => undefined); // the race reports it, or the answer was first
  try {
    return await Promise.race([answer, late]);
  } finally {
    abort.abort();
  }
}

function shown(seen: unknown): string {
  if (seen instanceof Error) return seen.message;
  const text = typeof seen === "string" ? JSON.stringify(seen) : (JSON.stringify(seen) ?? String(seen));
  return text.length > 2000 ? `${text.slice(0, 1000)} … ${text.slice(-1000)}` : text;
}
