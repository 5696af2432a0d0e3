import type { Params } from "../protocol/schemas.ts";

export type Target = Params<"subscribe">;

/** The targets that a client is subscribed to, each with its holders. */
export class Subscriptions {
  readonly #held = new Map<string, { readonly target: Target; readonly holders: Set<object> }>();

  get targets(): readonly Target[] {
    return [...this.#held.values()].map(({ target }) => target);
  }

  get paths(): readonly string[] {
    return this.targets.flatMap((target) => ("path" in target ? [target.path] : []));
  }

  hold(target: Target, holder: object): void {
    const held = this.#held.get(keyOf(target)) ?? { target, holders: new Set() };
    held.holders.add(holder);
    this.#held.set(keyOf(target), held);
  }

  /** Removes a holder. Returns true when the target has no holder left. */
  release(target: Target, holder: object): boolean {
    const held = this.#held.get(keyOf(target));
    held?.holders.delete(holder);
    if (held !== undefined && held.holders.size > 0) return false;
    this.#held.delete(keyOf(target));
    return true;
  }

  /** Moves a subscription to the document's new path. */
  rename(path: string, to: string): void {
    const held = this.#held.get(keyOf({ path }));
    if (held === undefined || path === to) return;
    this.#held.delete(keyOf({ path }));
    for (const holder of held.holders) this.hold({ path: to }, holder);
  }
}

function keyOf(target: Target): string {
  return JSON.stringify(target);
}
