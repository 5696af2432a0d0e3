import type { Examination } from "../../doc/examination.ts";
import { notifyEach } from "../../workspace/events/notify-each.ts";
import type { Ports } from "../../workspace/ports.ts";

/** A client that receives the presence of the others in a room. */
export interface PresenceListener {
  receive(updates: readonly Uint8Array[]): void;
}

/** The clients of one document that share their presence. Only the examination decodes it. */
export class PresenceGroup {
  readonly #name: string;
  readonly #examination: Examination;
  readonly #report: Ports["report"];
  readonly #ended: () => void;
  readonly #listeners = new Set<PresenceListener>();

  /** `ended` is called when the last client has left. */
  constructor(name: string, examination: Examination, report: Ports["report"], ended: () => void) {
    this.#name = name;
    this.#examination = examination;
    this.#report = report;
    this.#ended = ended;
  }

  enter(listener: PresenceListener): void {
    this.#listeners.add(listener);
  }

  /** Returns the presence of all clients, as one update. */
  current(): Promise<Uint8Array | undefined> {
    return this.#examination.presence(this.#name);
  }

  /** Publishes a client's presence to the others. Returns false when the update is refused. */
  async publish(speaker: PresenceListener, session: string, update: Uint8Array): Promise<boolean> {
    if (!(await this.#examination.applyPresence(this.#name, session, update))) return false;
    const others = [...this.#listeners].filter((listener) => listener !== speaker);
    this.#send(others, [update]);
    return true;
  }

  /** Removes a client with its presence. */
  leave(listener: PresenceListener, session: string): void {
    if (!this.#listeners.delete(listener)) return;
    if (this.#listeners.size === 0) {
      this.#examination.clearPresence(this.#name);
      this.#ended();
      return;
    }
    void this.#examination.removePresence(this.#name, session).then((updates) => {
      if (updates.length > 0) this.#send(this.#listeners, updates);
    });
  }

  #send(listeners: Iterable<PresenceListener>, updates: readonly Uint8Array[]): void {
    const about = { news: "presence", report: this.#report };
    notifyEach(listeners, (listener) => listener.receive(updates), about);
  }
}
