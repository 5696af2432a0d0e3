import { keyText, type RecordKey } from "./record-key.ts";
import type { RecordWrite } from "./write.ts";

export interface BehindWrite extends RecordWrite {
  /** The number of its group. */
  readonly seq: number;
}

/** The writes of a table by the first part of their keys, and by their whole keys. */
type Records = Map<string, Map<string, BehindWrite>>;

/** Owns the writes that the log durably has and the database has not yet; of each record, the newest. */
export class Behind {
  readonly #tables = new Map<string, Records>();
  #bytes = 0;

  /** The size of their records in the database; bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  add(writes: readonly RecordWrite[], seq: number): void {
    for (const { table, key, bytes } of writes) {
      const records = entryOf(this.#tables, table, (): Records => new Map());
      const alike = entryOf(records, firstPart(key), () => new Map<string, BehindWrite>());
      const text = keyText(key);
      this.#bytes += sizeOf(bytes) - sizeOf(alike.get(text)?.bytes);
      alike.set(text, { table, key, bytes, seq });
    }
  }

  get(table: string, key: RecordKey): BehindWrite | undefined {
    return this.#tables.get(table)?.get(firstPart(key))?.get(keyText(key));
  }

  /** The writes of a table; those alone whose keys begin with `first`, where it is given. */
  *of(table: string, first?: string): Iterable<BehindWrite> {
    const records = this.#tables.get(table);
    if (first !== undefined) yield* records?.get(first)?.values() ?? [];
    else for (const alike of records?.values() ?? []) yield* alike.values();
  }

  all(): BehindWrite[] {
    return [...this.#tables.keys()].flatMap((table) => [...this.of(table)]);
  }

  /** Drops the writes of the groups up to `seq`, which the database durably has. */
  drop(seq: number): void {
    for (const [table, records] of this.#tables) {
      for (const [first, alike] of records) {
        for (const [text, write] of alike) {
          if (write.seq > seq) continue;
          this.#bytes -= sizeOf(write.bytes);
          alike.delete(text);
        }
        if (alike.size === 0) records.delete(first);
      }
      if (records.size === 0) this.#tables.delete(table);
    }
  }
}

function firstPart(key: RecordKey): string {
  return typeof key === "string" ? "" : key[0];
}

function entryOf<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

function sizeOf(bytes: Buffer | undefined): number {
  return bytes?.length ?? 0;
}
