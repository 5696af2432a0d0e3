import type { Params } from "../protocol/schemas.ts";

export type Target = Params<"subscribe">;

/** What a connection is subscribed to, and who wants that: several may want the same. */
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

  /** True when nobody wants it any more. */
  release(target: Target, holder: object): boolean {
    const held = this.#held.get(keyOf(target));
    held?.holders.delete(holder);
    if (held !== undefined && held.holders.size > 0) return false;
    this.#held.delete(keyOf(target));
    return true;
  }

  /** A document has another name by now, and subscriptions to it go along. */
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
