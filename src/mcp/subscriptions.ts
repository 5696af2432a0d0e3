import type { Caller } from "./caller.ts";

/** Documents that a session is told of, each for as long as somebody in it wants that. */
export class Subscriptions {
  readonly #caller: Caller;
  readonly #holders = new Map<string, number>();

  constructor(caller: Caller) {
    this.#caller = caller;
    caller.on("doc.renamed", ({ path, to }) => {
      const holders = this.#holders.get(path);
      if (holders === undefined) return;
      this.#holders.delete(path);
      this.#holders.set(to, holders);
    });
  }

  /** @throws RefusedError where there is no such document */
  async hold(path: string): Promise<void> {
    await this.#caller.request("subscribe", { path });
    this.#holders.set(path, (this.#holders.get(path) ?? 0) + 1);
  }

  release(path: string): void {
    const left = (this.#holders.get(path) ?? 0) - 1;
    if (left > 0) return void this.#holders.set(path, left);
    if (this.#holders.delete(path)) this.#caller.request("unsubscribe", { path }).catch(() => undefined); // the connection ended it already
  }
}
