import type { Database, RangeOptions } from "lmdb";
import { StoreError } from "../store.ts";
import type { Behind, BehindWrite } from "./behind.ts";
import type { Databases } from "./environment.ts";
import type { Opened } from "./opened.ts";
import { compareKeys, isTooLong, type RecordKey } from "./record-key.ts";
import type { RecordWrite } from "./write.ts";

interface RecordEncoder {
  encode(value: unknown): Buffer;
  decode(bytes: Uint8Array): unknown;
}

export interface TableRange<K extends RecordKey> {
  /** The first key, inclusive. */
  readonly start?: K;
  /** The last key, exclusive. */
  readonly end?: K;
  /** True to go downwards from `start` to `end`. */
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** One database of the environment, with the writes that it has not taken in yet. */
export class LmdbTable<V, K extends RecordKey> {
  readonly #name: keyof Databases;
  readonly #opened: Opened;
  readonly #encoder: RecordEncoder;
  readonly #behind: Behind;

  constructor(name: keyof Databases, opened: Opened, encoder: RecordEncoder, behind: Behind) {
    this.#name = name;
    this.#opened = opened;
    this.#encoder = encoder;
    this.#behind = behind;
  }

  get(key: K): V | undefined {
    const write = this.#behind.get(this.#name, key);
    return write === undefined ? this.#db.get(key) : this.#valueOf(write);
  }

  has(key: K): boolean {
    const write = this.#behind.get(this.#name, key);
    return write === undefined ? this.#db.doesExist(key) : write.bytes !== undefined;
  }

  get count(): number {
    const { entryCount } = this.#db.getStats() as { readonly entryCount: number };
    let count = entryCount;
    for (const { key, bytes } of this.#behind.of(this.#name))
      count += Number(bytes !== undefined) - Number(this.#db.doesExist(key as K));
    return count;
  }

  *range(range: TableRange<K> = {}): Iterable<{ readonly key: K; readonly value: V }> {
    const waiting = this.#waitingIn(range);
    // LMDB changes the options that it is given.
    if (waiting.length === 0) yield* this.#opened.read(this.#db.getRange({ ...range } as RangeOptions));
    else yield* limited(this.#merged(range, waiting), range.limit);
  }

  *keys(range: TableRange<K> = {}): Iterable<K> {
    if (this.#waitingIn(range).length === 0)
      yield* this.#opened.read(this.#db.getKeys({ ...range } as RangeOptions));
    else for (const { key } of this.range(range)) yield key;
  }

  /** @throws StoreError for a key that the database cannot have */
  put(key: K, value: V): RecordWrite {
    return this.#write(key, this.#encoder.encode(value));
  }

  /** @throws StoreError for a key that the database cannot have */
  remove(key: K): RecordWrite {
    return this.#write(key, undefined);
  }

  get #db(): Database<V, K> {
    return this.#opened.databases[this.#name] as Database<unknown, RecordKey> as Database<V, K>;
  }

  #write(key: K, bytes: Buffer | undefined): RecordWrite {
    if (isTooLong(key)) throw new StoreError("failed", "a name is too long for the store");
    return { table: this.#name, key, bytes };
  }

  #valueOf({ bytes }: BehindWrite): V | undefined {
    return bytes && (this.#encoder.decode(bytes) as V);
  }

  /** Returns the writes in a range, in its order. */
  #waitingIn({ start, end, reverse = false }: TableRange<K>): BehindWrite[] {
    const way = reverse ? -1 : 1;
    const found: BehindWrite[] = [];
    for (const write of this.#behind.of(this.#name, sharedPart(start, end)))
      if (
        (start === undefined || compareKeys(write.key as K, start) * way >= 0) &&
        (end === undefined || compareKeys(write.key as K, end) * way < 0)
      )
        found.push(write);
    return found.sort((a, b) => compareKeys(a.key as K, b.key as K) * way);
  }

  /** Both sides in the order of the range; of a record that both have, the newer write. */
  *#merged({ limit: _limit, ...range }: TableRange<K>, waiting: BehindWrite[]) {
    const way = range.reverse ? -1 : 1;
    let next = 0;
    for (const entry of this.#opened.read(this.#db.getRange(range as RangeOptions))) {
      let order = -1;
      for (; next < waiting.length; next++) {
        order = compareKeys(waiting[next]!.key as K, entry.key) * way;
        if (order >= 0) break;
        yield* this.#entryOf(waiting[next]!);
      }
      if (next === waiting.length || order > 0) yield entry;
    }
    for (const write of waiting.slice(next)) yield* this.#entryOf(write);
  }

  *#entryOf(write: BehindWrite) {
    const value = this.#valueOf(write);
    if (value !== undefined) yield { key: write.key as K, value };
  }
}

/** Returns the first part of every key in a range; undefined where it differs. */
function sharedPart(start: RecordKey | undefined, end: RecordKey | undefined): string | undefined {
  const isShared = typeof start === "object" && typeof end === "object" && start[0] === end[0];
  return isShared ? start[0] : undefined;
}

function* limited<T>(all: Iterable<T>, limit = Number.POSITIVE_INFINITY): Iterable<T> {
  if (limit <= 0) return;
  let left = limit;
  for (const one of all) {
    yield one;
    if (--left === 0) return;
  }
}
