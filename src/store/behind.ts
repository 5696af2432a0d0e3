import { keyText, type RecordKey } from "./record-key.ts";
import type { RecordWrite } from "./write.ts";

export interface BehindWrite extends RecordWrite {
  /** The number of its group. */
  readonly seq: number;
}

/** Owns the writes that the log durably has and the database has not yet; of each record, the newest. */
export class Behind {
  readonly #tables = new Map<string, Map<string, BehindWrite>>();
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
      const records = this.#tables.get(table) ?? new Map<string, BehindWrite>();
      this.#tables.set(table, records);
      const text = keyText(key);
      this.#bytes += sizeOf(bytes) - sizeOf(records.get(text)?.bytes);
      records.set(text, { table, key, bytes, seq });
    }
  }

  get(table: string, key: RecordKey): BehindWrite | undefined {
    return this.#tables.get(table)?.get(keyText(key));
  }

  of(table: string): Iterable<BehindWrite> {
    return this.#tables.get(table)?.values() ?? [];
  }

  all(): BehindWrite[] {
    return [...this.#tables.values()].flatMap((records) => [...records.values()]);
  }

  /** Drops the writes of the groups up to `seq`, which the database durably has. */
  drop(seq: number): void {
    for (const [table, records] of this.#tables) {
      for (const [text, write] of records) {
        if (write.seq > seq) continue;
        this.#bytes -= sizeOf(write.bytes);
        records.delete(text);
      }
      if (records.size === 0) this.#tables.delete(table);
    }
  }
}

function sizeOf(bytes: Buffer | undefined): number {
  return bytes?.length ?? 0;
}
