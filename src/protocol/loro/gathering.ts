import type { Examination } from "../../doc/examination.ts";
import { notifyEach } from "../../workspace/events/notify-each.ts";
import type { Ports } from "../../workspace/ports.ts";

/** A client that hears what the others of a room say of themselves. */
export interface GatheringListener {
  receive(updates: readonly Uint8Array[]): void;
}

/** The clients of one document that tell each other where they are; what they say is read by the examiner only. */
export class Gathering {
  readonly #name: string;
  readonly #examination: Examination;
  readonly #report: Ports["report"];
  readonly #ended: () => void;
  readonly #listeners = new Set<GatheringListener>();

  /** `ended` is called when the last has left. */
  constructor(name: string, examination: Examination, report: Ports["report"], ended: () => void) {
    this.#name = name;
    this.#examination = examination;
    this.#report = report;
    this.#ended = ended;
  }

  enter(listener: GatheringListener): void {
    this.#listeners.add(listener);
  }

  /** All that was said and still counts. */
  all(): Promise<Uint8Array | undefined> {
    return this.#examination.presence(this.#name);
  }

  /** Passes on what one says; false when it is refused. */
  async say(speaker: GatheringListener, session: string, update: Uint8Array): Promise<boolean> {
    if (!(await this.#examination.applyPresence(this.#name, session, update))) return false;
    const others = [...this.#listeners].filter((listener) => listener !== speaker);
    this.#tell(others, [update]);
    return true;
  }

  /** What a client said goes with it. */
  leave(listener: GatheringListener, session: string): void {
    if (!this.#listeners.delete(listener)) return;
    if (this.#listeners.size === 0) {
      this.#examination.clearPresence(this.#name);
      this.#ended();
      return;
    }
    void this.#examination.removePresence(this.#name, session).then((updates) => {
      if (updates.length > 0) this.#tell(this.#listeners, updates);
    });
  }

  #tell(listeners: Iterable<GatheringListener>, updates: readonly Uint8Array[]): void {
    const about = { news: "presence", report: this.#report };
    notifyEach(listeners, (listener) => listener.receive(updates), about);
  }
}
