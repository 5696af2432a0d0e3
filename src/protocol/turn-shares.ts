import { TURN_MS } from "../work/bounds.ts";

/** The owner of work: the rights of a token, one object each. */
type Owner = object;

/** The time of the current turn of the event loop that each token has used for its requests (I14). */
export class TurnShares {
  readonly #used = new Map<Owner, number>();

  /** True once a token has used its share; its further requests wait for the next turn. */
  isUp(owner: Owner): boolean {
    return (this.#used.get(owner) ?? 0) >= TURN_MS;
  }

  /** Runs a piece of a token's work and adds its duration to the token's share. */
  spend(owner: Owner, work: () => void): void {
    const began = performance.now();
    work();
    if (this.#used.size === 0) setImmediate(() => this.#used.clear());
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + performance.now() - began);
  }
}
