import { type Shelved, shelfOf } from "../../store/shelf.ts";
import type { Store } from "../../store/store.ts";
import type { RecordKind } from "../../workspace/document/shared-records.ts";
import type { Stamp } from "./names.ts";

/** The state of a shared record, as this machine knows it. */
export interface KnownRecord {
  /** The kind and the id of the record. */
  readonly key: string;
  /** The moment of the record's newest form. */
  readonly stamp: Stamp;
  /** The first message with the record. */
  readonly born: { readonly machine: string; readonly number: number };
  /** The hash of the record's facts as the machines know them; `GONE` once it is removed, "" to send it again. */
  readonly hash: string;
}

export const GONE = "gone";

const knownShelf = shelfOf<KnownRecord>("told");

/** Returns the name under which all machines know a record. */
export function recordKey(kind: RecordKind, id: string): string {
  return `${kind} ${id}`;
}

/** Returns the removals of the state of every shared record. */
export function forgetRecords(store: Store): Shelved[] {
  return [...store.shelf(knownShelf)].map(({ key }) => ({ shelf: "told", id: key, record: null }));
}

/** Owns the states of the records that machines share. */
export class KnownRecords {
  readonly #known = new Map<string, KnownRecord>();
  readonly #changed = new Set<string>();

  constructor(store: Store) {
    for (const known of store.shelf(knownShelf)) this.#known.set(known.key, known);
  }

  get(key: string): KnownRecord | undefined {
    return this.#known.get(key);
  }

  set(known: KnownRecord): void {
    this.#known.set(known.key, known);
    this.#changed.add(known.key);
  }

  /** Notes the state that was stored together with the record itself. */
  stored(known: KnownRecord): void {
    this.#known.set(known.key, known);
    this.#changed.delete(known.key);
  }

  shelved(known: KnownRecord): Shelved {
    return { shelf: "told", id: known.key, record: known };
  }

  /** Returns the changed states, to be stored; the caller calls `failed` if the store refuses them. */
  take(): { readonly changes: readonly Shelved[]; readonly failed: () => void } {
    const keys = [...this.#changed];
    this.#changed.clear();
    return {
      changes: keys.map((key) => this.shelved(this.#known.get(key)!)),
      failed: () => {
        for (const key of keys) this.#changed.add(key);
      },
    };
  }
}
