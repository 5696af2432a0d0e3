import type { Pacing } from "./wire.ts";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** A connection that ends sooner counts as a failed attempt. */
const STEADY_MS = 5_000;

/** Owns the pauses between a client's attempts to connect, which grow until a connection proves steady. */
export class Backoff {
  readonly #pacing: Pacing;
  /** The pause before the next attempt, in milliseconds. */
  #pauseMs = 0;
  /** The time at which the newest connection began, by the pacing's clock. */
  #connectedAt = 0;

  constructor(pacing: Pacing) {
    this.#pacing = pacing;
  }

  /** Waits before an attempt; the first has no pause. Random lengths spread the clients of one daemon. */
  async wait(signal: AbortSignal): Promise<void> {
    const pause = this.#pauseMs;
    this.#pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * pause), LONGEST_PAUSE_MS);
    if (pause > 0) await this.#pacing.wait(pause * (0.5 + this.#pacing.random() / 2), signal);
  }

  /** Reports that a connection began. */
  connected(): void {
    this.#connectedAt = this.#pacing.now();
  }

  /** Reports that the connection ended. */
  disconnected(): void {
    if (this.#pacing.now() - this.#connectedAt >= STEADY_MS) this.reset();
  }

  /** Lets the next attempt begin without a pause. */
  reset(): void {
    this.#pauseMs = 0;
  }
}
