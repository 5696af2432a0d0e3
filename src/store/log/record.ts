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

/** Returns the records in the bytes of a segment. It skips, page by page, any bytes that are no whole record. */
export function* recordsIn(bytes: Buffer): Iterable<LogRecord> {
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const record = recordAt(bytes, at);
    if (record !== undefined) yield record;
    at += record === undefined ? PAGE : Math.ceil((HEAD + record.payload.length) / PAGE) * PAGE;
  }
}

function recordAt(bytes: Buffer, at: number): LogRecord | undefined {
  if (bytes.readUInt32LE(at) !== MAGIC) return undefined;
  const end = at + HEAD + bytes.readUInt32LE(at + LENGTH);
  if (end > bytes.length) return undefined;
  if (bytes.readUInt32LE(at + CHECK) !== crc32(bytes.subarray(at + LENGTH, end))) return undefined;
  const [database, seq] = [bytes.readDoubleLE(at + DATABASE), bytes.readDoubleLE(at + SEQ)];
  return { database, seq, payload: bytes.subarray(at + HEAD, end) };
}
