import type { Listener, WorkspaceEvent } from "./events.ts";

/** Tells of what happened to one document, in order, each event once what it tells of is durable. */
export class Outbox {
  readonly #emit: Listener;
  #last: Promise<void> = Promise.resolve();

  constructor(emit: Listener) {
    this.#emit = emit;
  }

  /** What was not stored did not happen: nothing is told of it. Whoever made it is told why. */
  announce(event: WorkspaceEvent, durable: Promise<void>): void {
    const before = this.#last;
    this.#last = durable.then(
      () => before.then(() => this.#emit(event)),
      () => before,
    );
  }

  /** Resolves once everything announced so far was told. */
  settled(): Promise<void> {
    return this.#last;
  }
}
