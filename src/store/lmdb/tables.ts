import { asBinary, type Database } from "lmdb";
import { Encoder } from "msgpackr";
import type { CheckedEncoder } from "../format/checked-encoder.ts";
import type { Behind } from "./behind.ts";
import { type Databases, encoderOf, TAKEN } from "./environment.ts";
import type { Opened } from "./opened.ts";
import type { RecordKey } from "./record-key.ts";
import { LmdbTable } from "./table.ts";
import type { RecordWrite } from "./write.ts";

/** The databases of the environment, each with the writes that it has not taken in yet. */
export type Tables = {
  readonly [N in keyof Databases]: Databases[N] extends Database<infer V, infer K extends RecordKey>
    ? LmdbTable<V, K>
    : never;
};

export function tablesOf(opened: Opened, encoder: CheckedEncoder, behind: Behind): Tables {
  // LMDB's own encoder, which `meta` has, writes numbers in this form, too.
  const plain = new Encoder();
  const tables = (Object.keys(opened.databases) as (keyof Databases)[]).map((name) => {
    const own = name === "meta" ? plain : encoderOf(name, encoder);
    return [name, new LmdbTable(name, opened, own, behind)] as const;
  });
  return Object.fromEntries(tables) as unknown as Tables;
}

/**
 * Commits writes, with `seq` as the number of the last group that the database has. LMDB commits all writes of one turn
 * of the event loop as one transaction, and its promises resolve after commit and flush.
 */
export async function commitTo(db: Databases, writes: readonly RecordWrite[], seq: number): Promise<void> {
  const put = writes.map(({ table, key, bytes }) => {
    const database = db[table as keyof Databases] as Database<unknown, RecordKey>;
    return bytes === undefined ? database.remove(key) : database.put(key, asBinary(bytes));
  });
  await Promise.all([...put, db.meta.put(TAKEN, seq)]);
}
