import type { Clock } from "../../mirror/clock.ts";

/** The number of attempts to apply something with a defect. */
const MOST_TRIES = 10;
/** The time after a defect in which others of the same machine get one attempt each; milliseconds. */
const SHORT_MS = 600_000;

/**
 * The number of attempts for what a machine sends. The error may be a passing one, but all messages wait for the attempts:
 * a machine that sends thousands of documents with defects must not delay the others for hours (I14).
 */
export class Patience {
  readonly #clock: Clock;
  readonly #shortUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  triesFor(machine: string): number {
    return this.#clock.elapsed() < (this.#shortUntil.get(machine) ?? 0) ? 1 : MOST_TRIES;
  }

  /** Notes that the attempts for something of a machine have failed. */
  failed(machine: string): void {
    this.#shortUntil.set(machine, this.#clock.elapsed() + SHORT_MS);
  }
}
