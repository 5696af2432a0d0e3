import type { Clock } from "../../mirror/clock.ts";
import { longer } from "../base/pause.ts";

/** The first and the longest pause before the same messages are published again for a machine; milliseconds. */
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 30_000;
/** The least pause for each message that was published again; milliseconds. */
const EACH_MS = 10;
/** The time without a repetition after which the next one begins with the first pause; milliseconds. */
const QUIET_MS = 300_000;

/** A repetition of messages for one machine. */
interface Round {
  /** The first message that was not published again for it. */
  readonly upTo: number;
  /** The pause before the next repetition, and the times of the last one and the next; milliseconds of the clock. */
  readonly pause: number;
  readonly at: number;
  readonly next: number;
}

/**
 * Decides when messages are published again for a machine that asks for them: the first time at once. For the same ones
 * the machine waits until the last repetition has ended, and for a pause, which grows. An altered program could otherwise
 * keep this machine busy without end. A machine names in each word what it lacks, so it gets what the broker lost.
 */
export class Repeats {
  readonly #clock: Clock;
  readonly #rounds = new Map<string, Round>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns true if the messages from one on are published again now; `cursor` is the next message to publish. */
  isDue(machine: string, from: number, cursor: number, unstored: number): boolean {
    const now = this.#clock.elapsed();
    const last = this.#rounds.get(machine) ?? { upTo: 0, pause: RETRY_MS, at: now, next: 0 };
    const isFirst = from >= last.upTo;
    if (!isFirst && (cursor < last.upTo || now < last.next)) return false;
    const isQuiet = now - last.at >= QUIET_MS;
    const grown = isFirst ? last.pause : longer(last.pause, MOST_RETRY_MS);
    const pause = isQuiet ? RETRY_MS : grown;
    const next = Math.max(last.next, now + Math.max(pause, EACH_MS * (unstored - from)));
    this.#rounds.set(machine, { upTo: unstored, pause, at: isFirst ? last.at : now, next });
    return true;
  }
}
