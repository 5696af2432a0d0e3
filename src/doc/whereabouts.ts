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

  /** Takes in what a client says of itself; false when it cannot be read, is too much, or says something of another. */
  apply(source: string, update: Uint8Array): boolean {
    const tried = tryOn(this.all(), update);
    if (tried === undefined || tried.entries > MOST_ENTRIES || tried.bytes > MOST_BYTES) return false;
    const owned = tried.changed.filter((key) => this.#owners.has(key));
    if (owned.some((key) => this.#owners.get(key) !== source)) return false;
    this.#store.apply(update);
    for (const key of tried.added) this.#owners.set(key, source);
    return true;
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

interface Tried {
  /** Entries that the update changes, not those that it only repeats; and the new ones. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  /** All entries afterwards, and their bytes. */
  readonly entries: number;
  readonly bytes: number;
}

/** What an update would do to a store; undefined for bytes that are none. */
function tryOn(before: Uint8Array, update: Uint8Array): Tried | undefined {
  const store = new EphemeralStore(KEPT_MS);
  const changed: string[] = [];
  const added: string[] = [];
  try {
    store.apply(before);
    const known: Record<string, string> = {};
    for (const [key, value] of Object.entries(store.getAllStates())) known[key] = JSON.stringify(value);
    store.subscribe((event) => {
      const now = store.getAllStates();
      const touched = [...event.added, ...event.updated, ...event.removed];
      changed.push(...touched.filter((key) => JSON.stringify(now[key]) !== known[key]));
      added.push(...event.added);
    });
    store.apply(update);
    return { changed, added, entries: store.keys().length, bytes: store.encodeAll().length };
  } catch (error) {
    throwTrap(error);
    return undefined;
  } finally {
    store.destroy();
  }
}
