import type { Params } from "../protocol/schemas/schemas.ts";

export type Target = Params<"subscribe">;

/** The targets that a client is subscribed to, each with its holders. */
export class Subscriptions {
  readonly #entries = new Map<string, { readonly target: Target; readonly holders: Set<object> }>();

  get targets(): readonly Target[] {
    return [...this.#entries.values()].map(({ target }) => target);
  }

  get paths(): readonly string[] {
    return this.targets.flatMap((target) => ("path" in target ? [target.path] : []));
  }

  get threads(): readonly string[] {
    return this.targets.flatMap((target) => ("thread" in target ? [target.thread] : []));
  }

  hold(target: Target, holder: object): void {
    const entry = this.#entries.get(keyOf(target)) ?? { target, holders: new Set() };
    entry.holders.add(holder);
    this.#entries.set(keyOf(target), entry);
  }

  /** Removes a holder. Returns true when the target has no holder left. */
  release(target: Target, holder: object): boolean {
    const entry = this.#entries.get(keyOf(target));
    entry?.holders.delete(holder);
    if (entry !== undefined && entry.holders.size > 0) return false;
    this.#entries.delete(keyOf(target));
    return true;
  }

  /** Moves a subscription to the document's new path. */
  rename(path: string, to: string): void {
    const entry = this.#entries.get(keyOf({ path }));
    if (entry === undefined || path === to) return;
    this.#entries.delete(keyOf({ path }));
    for (const holder of entry.holders) this.hold({ path: to }, holder);
  }
}

function keyOf(target: Target): string {
  return JSON.stringify(target);
}
