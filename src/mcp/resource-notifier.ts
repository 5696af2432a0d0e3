import type { ResourceListener } from "./resources.ts";

/** Milliseconds for which notifications wait, so that many changes of a resource become one notification. */
const GATHER_MS = 100;

interface NotificationSink {
  /** False while the client does not read; notifications wait until it does. */
  ready(): boolean;
  updated(uri: string): Promise<void>;
  listChanged(): Promise<void>;
}

/** Notifies a client of changed resources. Changes of one resource that wait together become one notification. */
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
    // The session may have ended by now.
    for (const sent of sending) sent.catch(() => undefined);
  }
}
