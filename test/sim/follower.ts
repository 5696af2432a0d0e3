import type { Text } from "../../src/text/text.ts";
import type { WorkspaceEvent } from "../../src/workspace/events/events.ts";
import { seqOf, type Version } from "../../src/workspace/versions/version.ts";

/**
 * A subscriber that keeps its own copy of one document, from nothing but what it is told. What is told while its
 * connection is cut is lost to it; it reads the document again then.
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

  /** What the copy reads now; undefined before the first change that it was told of. */
  get text(): string | undefined {
    return this.#text?.toString();
  }

  get connected(): boolean {
    return this.#connected;
  }

  cut(): void {
    this.#connected = false;
  }

  /** Reads the document again. What it reads may be told of yet, and is known then. */
  resync(version: Version, text: Text): void {
    this.#connected = true;
    this.#seq = seqOf(version) ?? -1;
    this.#known = this.#seq;
    this.#text = text;
  }

  /** Takes in an event; answers what is wrong with it. */
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
