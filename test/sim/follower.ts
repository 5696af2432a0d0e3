import type { Text } from "../../src/text/text.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { seqOf, type Version } from "../../src/workspace/versions/version.ts";

/**
 * A subscriber that builds its own copy of one document from events alone. It misses the events while its connection is
 * cut, and reads the document again afterwards.
 */
export class Follower {
  readonly #path: string;
  #seq = -1;
  #text: Text | undefined;
  #connected = true;
  /** The version that was read last. */
  #known = -1;

  constructor(path: string) {
    this.#path = path;
  }

  /** The text of the copy; undefined before the first event. */
  get text(): string | undefined {
    return this.#text?.toString();
  }

  get connected(): boolean {
    return this.#connected;
  }

  cut(): void {
    this.#connected = false;
  }

  /** Reads the document again. Events of changes that it read may still come, and change nothing. */
  resync(version: Version, text: Text): void {
    this.#connected = true;
    this.#seq = seqOf(version) ?? -1;
    this.#known = this.#seq;
    this.#text = text;
  }

  /** Takes in an event; returns the error in it, if any. */
  hear(event: WorkspaceEvent): string | undefined {
    if (event.type !== "changed" || event.path !== this.#path || !this.#connected) return undefined;
    const seq = seqOf(event.version) ?? -1;
    if (seq <= this.#known) return undefined;
    if (seq <= this.#seq) return `version ${event.version} was told of after ${this.#seq}`;
    if (this.#text !== undefined && !this.#text.equals(event.before))
      return `version ${event.version} does not follow from what was told before it`;
    this.#seq = seq;
    this.#text = event.before.splice(event.splices);
    return undefined;
  }
}
