import { setImmediate } from "node:timers/promises";
import { TURN_MS } from "../../work/bounds.ts";

/** The owner of work: the rights of a token, one object each. */
type Owner = object;

/** The time of the current turn of the event loop that each token has used for its requests (I14). */
export class TurnShares {
  readonly #used = new Map<Owner, number>();

  /** True once a token has used its share; its further requests wait for the next turn. */
  isUp(owner: Owner): boolean {
    return (this.#used.get(owner) ?? 0) >= TURN_MS;
  }

  /** Runs a piece of a token's work in the next turn that it may use. */
  async take<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    do await setImmediate();
    while (this.isUp(owner));
    let result!: Promise<T>;
    this.spend(owner, () => {
      result = work();
    });
    return result;
  }

  /** Runs a piece of a token's work and adds its duration to the token's share. */
  spend(owner: Owner, work: () => void): void {
    const began = performance.now();
    work();
    if (this.#used.size === 0) void setImmediate().then(() => this.#used.clear());
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + performance.now() - began);
  }
}
