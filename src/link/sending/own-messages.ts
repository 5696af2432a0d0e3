import { type Store, storeFailure } from "../../store/store.ts";
import { type Carrier, type LogMessage, largeName } from "../carrier/carrier.ts";
import type { Copied } from "../members/identity.ts";
import { isLocked, type Sealer } from "../members/sealer.ts";
import { type LinkState, outboxId, outboxShelf } from "../state/link-state.ts";

export interface OwnParts {
  readonly store: Store;
  readonly state: LinkState;
  readonly sealer: Sealer;
  readonly carrier: Pick<Carrier, "get">;
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

  /** Takes the number of the newest message that another machine has; returns true if this folder is older. */
  isOlderThan(newest: number): boolean {
    const isOlder = this.#parts.state.standing.isOlder === true || newest >= this.#unheard;
    if (isOlder) this.#end();
    return isOlder;
  }

  /**
   * Takes a message from this machine's log at the carrier. One that this folder does not know shows that the folder is
   * older, if this machine made it: anybody who can write to the carrier can put messages into the log. Returns false for a
   * message that this machine did not make. @throws CarrierError
   */
  async sees({ number, bytes }: LogMessage): Promise<boolean> {
    const { store, sealer, carrier } = this.#parts;
    const isLarge = bytes.length === 1; // the message names an object, which has the content
    const stored = store.shelved(outboxShelf, outboxId(number))?.bytes;
    const isKnown = stored === undefined || isLarge || Buffer.from(stored).equals(bytes);
    if (number < this.#unheard && isKnown) return true;
    const whole = isLarge ? await carrier.get(largeName(sealer.machine, number)) : bytes;
    const payload = whole && sealer.open(sealer.machine, number, whole);
    // The signature of a message with an unknown key is checked, too.
    if (payload === undefined || ("refused" in payload && !isLocked(payload))) return false;
    this.#end();
    return true;
  }

  /** Ends the link, also for later starts: by then, the folder may have made as many messages as others have. */
  #end(): void {
    const { state, copied } = this.#parts;
    state.stand({ isOlder: true });
    void storeFailure(state.save());
    copied("backup");
  }
}
