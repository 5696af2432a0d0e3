import type { Announce } from "./resources.ts";

/** How long news may wait for more of the same, so that many changes are told of once. */
const GATHER_MS = 100;

export interface Outlet {
  /** False while the other end does not take what was sent: then news wait, and are told once. */
  ready(): boolean;
  updated(uri: string): Promise<void>;
  listChanged(): Promise<void>;
}

/** Tells of changed resources, each once however often it changed meanwhile. */
export class Announcer implements Announce {
  readonly #outlet: Outlet;
  readonly #uris = new Set<string>();
  #list = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  updated(uri: string): void {
    this.#uris.add(uri);
    this.#schedule();
  }

  listChanged(): void {
    this.#list = true;
    this.#schedule();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#outlet.ready()) {
      this.#schedule();
      return;
    }
    const sending = [...this.#uris].map((uri) => this.#outlet.updated(uri));
    if (this.#list) sending.push(this.#outlet.listChanged());
    this.#uris.clear();
    this.#list = false;
    // A session that ended meanwhile needs no news.
    for (const sent of sending) sent.catch(() => undefined);
  }
}
