import { Packr } from "msgpackr";
import type { RecordKey } from "./record-key.ts";

/** The write of one record: with `bytes`, as the database has them, it is stored, else it is removed. */
export interface RecordWrite {
  readonly table: string;
  readonly key: RecordKey;
  readonly bytes: Buffer | undefined;
}

const packer = new Packr({ useRecords: false });

/** Returns a group of writes as the log has them. */
export function packGroup(writes: readonly RecordWrite[]): Buffer {
  return packer.pack(writes.map(({ table, key, bytes }) => [table, key, bytes ?? null]));
}

/** Returns the group that `packGroup` packed. */
export function unpackGroup(payload: Buffer): RecordWrite[] {
  const packed = packer.unpack(payload) as [table: string, key: RecordKey, bytes: Buffer | null][];
  return packed.map(([table, key, bytes]) => ({ table, key, bytes: bytes ?? undefined }));
}
