import { crc32 } from "node:zlib";

/** Each record begins at a multiple of this, so that no write touches a page of an earlier record; bytes. */
export const PAGE = 4096;

/** The place of each field of a record's head, which is little-endian; bytes. */
const CHECK = 4;
const LENGTH = 8;
const DATABASE = 12;
const SEQ = 20;
const HEAD = 28;
const MAGIC = 0x47_4c_50_53; // "SPLG"

/** The writes of one group, as the log has them. */
export interface LogRecord {
  /** The id of the database that the group belongs to. */
  readonly database: number;
  /** The group's number: each group that the store accepts has the next one. */
  readonly seq: number;
  readonly payload: Buffer;
}

/** Returns the bytes of a record, with zeros up to the end of its last page. */
export function recordOf({ database, seq, payload }: LogRecord): Buffer {
  const end = HEAD + payload.length;
  const bytes = Buffer.alloc(Math.ceil(end / PAGE) * PAGE);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(payload.length, LENGTH);
  bytes.writeDoubleLE(database, DATABASE);
  bytes.writeDoubleLE(seq, SEQ);
  payload.copy(bytes, HEAD);
  bytes.writeUInt32LE(crc32(bytes.subarray(LENGTH, end)), CHECK);
  return bytes;
}

/**
 * Returns a database's records in the bytes of a segment. It skips, page by page, any bytes that are no whole record of
 * it: those of a record that was cut short or overwritten in part may be a client's text, which may look like a record.
 */
export function* recordsIn(bytes: Buffer, database: number): Iterable<LogRecord> {
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const record = recordAt(bytes, at);
    const isOwn = record?.database === database;
    if (isOwn) yield record;
    at += isOwn ? Math.ceil((HEAD + record.payload.length) / PAGE) * PAGE : PAGE;
  }
}

/** Returns true for a segment of another database. No text of a client is at the beginning of a segment. */
export function isOfAnother(bytes: Buffer, database: number): boolean {
  const first = bytes.length < HEAD ? undefined : recordAt(bytes, 0);
  return first !== undefined && first.database !== database;
}

function recordAt(bytes: Buffer, at: number): LogRecord | undefined {
  if (bytes.readUInt32LE(at) !== MAGIC) return undefined;
  const end = at + HEAD + bytes.readUInt32LE(at + LENGTH);
  if (end > bytes.length) return undefined;
  if (bytes.readUInt32LE(at + CHECK) !== crc32(bytes.subarray(at + LENGTH, end))) return undefined;
  const [database, seq] = [bytes.readDoubleLE(at + DATABASE), bytes.readDoubleLE(at + SEQ)];
  return { database, seq, payload: bytes.subarray(at + HEAD, end) };
}
