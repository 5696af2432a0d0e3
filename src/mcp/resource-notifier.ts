import type { ResourceListener } from "./resources.ts";

/** How long news may wait for more of the same, so that many changes are told of once. */
const GATHER_MS = 100;

export interface NotificationSink {
  /** False while the other end does not take what was sent: then news wait, and are told once. */
  ready(): boolean;
  updated(uri: string): Promise<void>;
  listChanged(): Promise<void>;
}

/** Tells of changed resources, each once however often it changed meanwhile. */
export class ResourceNotifier implements ResourceListener {
  readonly #sink: NotificationSink;
  readonly #uris = new Set<string>();
  #listHasChanged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(outlet: NotificationSink) {
    this.#sink = outlet;
  }

  updated(uri: string): void {
    this.#uris.add(uri);
    this.#schedule();
  }

  listChanged(): void {
    this.#listHasChanged = true;
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
    if (!this.#sink.ready()) {
      this.#schedule();
      return;
    }
    const sending = [...this.#uris].map((uri) => this.#sink.updated(uri));
    if (this.#listHasChanged) sending.push(this.#sink.listChanged());
    this.#uris.clear();
    this.#listHasChanged = false;
    // A session that ended meanwhile needs no news.
    for (const sent of sending) sent.catch(() => undefined);
  }
}
