import type { Ports } from "../ports.ts";
import type { WorkspaceEvent, WorkspaceListener } from "./events.ts";
import { notifyEach } from "./notify-each.ts";

/** Tells of what happened to one document, in order, each event once what it tells of is durable. */
export class EventQueue {
  readonly #emit: WorkspaceListener;
  readonly #report: Ports["report"];
  #last: Promise<void> = Promise.resolve();

  constructor(emit: WorkspaceListener, report: Ports["report"]) {
    this.#emit = emit;
    this.#report = report;
  }

  /** What was not stored did not happen: nothing is told of it. Whoever made it is told why. */
  add(event: WorkspaceEvent, durable: Promise<void>): void {
    const before = this.#last;
    this.#last = durable.then(
      () => before.then(() => this.#tell(event)),
      () => before,
    );
  }

  #tell(event: WorkspaceEvent): void {
    notifyEach([this.#emit], (emit) => emit(event), { news: event.type, report: this.#report });
  }

  /** Resolves once everything announced so far was told. */
  settled(): Promise<void> {
    return this.#last;
  }
}
