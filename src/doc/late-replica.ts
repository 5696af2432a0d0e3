import { Replica } from "./replica.ts";

/** A replica that is loaded at its next use. Most documents leave memory before the first. */
export class LateReplica {
  /** The updates of which the replica is made. */
  #parts: readonly Uint8Array[];
  #replica: Replica | undefined;
  readonly #listener: (update: Uint8Array) => void;
  #unlisten = () => {};

  /** `listener` gets the bytes of every local commit, before the commit returns. */
  constructor(parts: readonly Uint8Array[], listener: (update: Uint8Array) => void) {
    this.#parts = parts;
    this.#listener = listener;
  }

  get isLoaded(): boolean {
    return this.#replica !== undefined;
  }

  get loaded(): Replica {
    if (this.#replica === undefined) {
      this.#replica = Replica.load(this.#parts);
      this.#unlisten = this.#replica.onLocalUpdate(this.#listener);
      this.#parts = [];
    }
    return this.#replica;
  }

  /** Makes the replica of other updates, at its next use. */
  remake(parts: readonly Uint8Array[]): void {
    this.close();
    this.#replica = undefined;
    this.#parts = parts;
  }

  close(): void {
    this.#unlisten();
    this.#unlisten = () => {};
    this.#replica?.close();
  }
}
