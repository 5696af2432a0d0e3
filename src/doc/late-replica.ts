import { Replica } from "./replica.ts";

/** A replica that is loaded at its first use. Most documents leave memory before that. */
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
    return this.#replica ?? this.become(Replica.load(this.#parts));
  }

  /** Puts another replica in the place of this one, which is closed; returns the other. */
  become(replica: Replica): Replica {
    this.close();
    this.#parts = [];
    this.#replica = replica;
    this.#unlisten = replica.onLocalUpdate(this.#listener);
    return replica;
  }

  close(): void {
    this.#unlisten();
    this.#replica?.close();
  }
}
