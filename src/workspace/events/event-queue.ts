import type { Ports } from "../ports.ts";
import type { WorkspaceEvent, WorkspaceListener } from "./events.ts";
import { notifyEach } from "./notify-each.ts";

/** Emits the events of one document in their order, each once the change that it reports is durable. */
export class EventQueue {
  readonly #emit: WorkspaceListener;
  readonly #report: Ports["report"];
  #last: Promise<void> = Promise.resolve();

  constructor(emit: WorkspaceListener, report: Ports["report"]) {
    this.#emit = emit;
    this.#report = report;
  }

  /** Queues an event; drops it if `durable` rejects, because the store then rolls the change back. */
  add(event: WorkspaceEvent, durable: Promise<void>): void {
    const before = this.#last;
    this.#last = durable.then(
      () => before.then(() => this.#notify(event)),
      () => before,
    );
  }

  #notify(event: WorkspaceEvent): void {
    notifyEach([this.#emit], (emit) => emit(event), { news: event.type, report: this.#report });
  }

  /** Resolves once all queued events were emitted or dropped. */
  settled(): Promise<void> {
    return this.#last;
  }
}
