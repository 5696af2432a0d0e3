import { loro } from "./package.ts";
import { throwTrap } from "./trap.ts";

/** Milliseconds after which an entry without renewal expires, as in Loro's own stores. */
const EXPIRY_MS = 30_000;
const MOST_ENTRIES = 1000;
const MOST_BYTES = 256 << 10;

/** The presence data of a room's clients, as Loro's ephemeral stores exchange it. */
export class PresenceStore {
  readonly #store = new (loro().EphemeralStore)(EXPIRY_MS);
  /** The client that first set each entry. The entry is removed when that client leaves. */
  readonly #owners = new Map<string, string>();

  constructor() {
    this.#store.subscribe(({ removed }) => {
      for (const key of removed) this.#owners.delete(key);
    });
  }

  /** Applies a client's update; returns false when it is invalid, too large, or changes an entry of another client. */
  apply(source: string, update: Uint8Array): boolean {
    const tried = tryOn(this.all(), update);
    if (tried === undefined || tried.entries > MOST_ENTRIES || tried.bytes > MOST_BYTES) return false;
    const owned = tried.changed.filter((key) => this.#owners.has(key));
    if (owned.some((key) => this.#owners.get(key) !== source)) return false;
    this.#store.apply(update);
    for (const key of tried.added) this.#owners.set(key, source);
    return true;
  }

  /** Returns all entries, for a client that just joined. */
  all(): Uint8Array {
    return this.#store.encodeAll();
  }

  /** Removes the entries of a client; returns the updates that remove them from the other clients' stores. */
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
  /** The entries that the update changes, without entries that it only repeats; and the new ones. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  /** The number of entries after the update, and their bytes. */
  readonly entries: number;
  readonly bytes: number;
}

/** Returns the effect of an update on a store; undefined for invalid bytes. */
function tryOn(before: Uint8Array, update: Uint8Array): Tried | undefined {
  const store = new (loro().EphemeralStore)(EXPIRY_MS);
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
