import { type Store, storeFailure } from "../store/store.ts";
import type { Carried } from "./carrier.ts";
import type { Copied } from "./identity.ts";
import { type LinkState, outboxId, outboxShelf } from "./link-state.ts";

export interface OwnParts {
  readonly store: Store;
  readonly state: LinkState;
  /** Called when others have messages of this machine that this folder does not know. */
  readonly copied: (why: Copied) => void;
}

/**
 * Notices that this folder came back from an older backup: others have messages of its machine that it does not know.
 * Its next messages would have the same numbers, and the others would take them for messages that they have.
 */
export class OwnMessages {
  readonly #parts: OwnParts;
  /** The first message that nobody else can have: no process of this folder has published it. */
  #unheard: number;

  constructor(parts: OwnParts) {
    this.#parts = parts;
    this.#unheard = parts.state.standing.next;
  }

  /** Notes that a message is on its way to the carrier, by itself or in a snapshot. */
  published(number: number): void {
    this.#unheard = Math.max(this.#unheard, number + 1);
  }

  /** Takes the number of the newest message that others have; returns true if this folder is older. */
  isOlderThan(newest: number): boolean {
    const isOlder = this.#parts.state.standing.isOlder === true || newest >= this.#unheard;
    if (isOlder) this.#end();
    return isOlder;
  }

  /** Takes a message of this machine from the carrier, which another message of the same number shows to be older. */
  sees({ number, bytes }: Pick<Carried, "number" | "bytes">): void {
    if (this.isOlderThan(number)) return;
    const stored = this.#parts.store.shelved(outboxShelf, outboxId(number))?.bytes;
    const isLarge = bytes.length === 1; // the message names an object, which has the content
    if (stored !== undefined && !isLarge && !Buffer.from(stored).equals(bytes)) this.#end();
  }

  /** Ends the link, also for later starts: by then, the folder may have made as many messages as others have. */
  #end(): void {
    const { state, copied } = this.#parts;
    state.stand({ isOlder: true });
    void storeFailure(state.save());
    copied("backup");
  }
}
