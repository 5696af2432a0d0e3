import { EphemeralStore } from "loro-crdt";
import { throwTrap } from "./trap.ts";

/** Entries that nobody renews are dropped after so long, as Loro's own stores do. */
const KEPT_MS = 30_000;
const MOST_ENTRIES = 1000;
const MOST_BYTES = 256 << 10;

/** What the clients of a room say of themselves, as Loro's ephemeral stores exchange it. */
export class Whereabouts {
  readonly #store = new EphemeralStore(KEPT_MS);
  /** Who first set which entry: it goes with them. */
  readonly #owners = new Map<string, string>();

  constructor() {
    this.#store.subscribe(({ removed }) => {
      for (const key of removed) this.#owners.delete(key);
    });
  }

  /** Takes in what a client says; false when it cannot be read, or is too much. */
  apply(source: string, update: Uint8Array): boolean {
    const added: string[] = [];
    const end = this.#store.subscribe((event) => void added.push(...event.added));
    try {
      this.#store.apply(update);
    } catch (error) {
      throwTrap(error);
      return false;
    } finally {
      end();
    }
    for (const key of added) this.#owners.set(key, source);
    if (this.#owners.size <= MOST_ENTRIES && this.all().length <= MOST_BYTES) return true;
    for (const key of added) this.#store.delete(key);
    return false;
  }

  /** For one who has just come. */
  all(): Uint8Array {
    return this.#store.encodeAll();
  }

  /** Drops what a client has set; answers what tells the others, if there is anything to tell. */
  end(source: string): Uint8Array[] {
    const keys = [...this.#owners].flatMap(([key, owner]) => (owner === source ? [key] : []));
    return keys.map((key) => {
      this.#store.delete(key);
      return this.#store.encode(key);
    });
  }

  close(): void {
    this.#store.destroy();
  }
}
