import { Encoder } from "msgpackr";
import type { ChangeRecord, Origin, Seq } from "../store.ts";
import type { Packer } from "./checked-encoder.ts";

/** A change as an array: what every change has, its hash as bytes or null, and its other facts or null. */
type Stored = readonly [
  seq: Seq,
  id: string,
  author: string,
  agent: string,
  origin: Origin,
  time: number,
  /** `from`, `to` and `insert` of each splice. */
  splices: readonly (number | string)[],
  removed: readonly string[],
  sha256: Uint8Array | null,
  others: Partial<ChangeRecord> | null,
];

/** The first byte of a short array in msgpack is 0x90 and its length; a record of schemas before 11 has another one. */
const ARRAY = 0x90;
const packer = new Encoder({ useRecords: false });

/** Stores a change without the names of its fields, because each edit writes one. `older` reads the form before schema 11. */
export function changePacker(older: Packer): Packer {
  return {
    encode: (value) => encode(value as ChangeRecord),
    decode: (bytes) => ((bytes[0]! & 0xf0) === ARRAY ? decode(bytes) : older.decode(bytes)),
  };
}

function encode(change: ChangeRecord): Buffer {
  const { seq, id, author, agent, origin, time, splices, removed, sha256, ...others } = change;
  const parts: (number | string)[] = [];
  for (const { from, to, insert } of splices) parts.push(from, to, insert);
  const hash = sha256 === undefined ? null : Buffer.from(sha256, "hex");
  let rest: Partial<ChangeRecord> | null = null;
  for (const _name in others) rest = others;
  return packer.encode([seq, id, author, agent, origin, time, parts, removed, hash, rest] satisfies Stored);
}

function decode(bytes: Buffer): ChangeRecord {
  const [seq, id, author, agent, origin, time, parts, removed, hash, others] = packer.decode(bytes) as Stored;
  const splices: { from: number; to: number; insert: string }[] = [];
  for (let i = 0; i < parts.length; i += 3)
    splices.push({ from: parts[i] as number, to: parts[i + 1] as number, insert: parts[i + 2] as string });
  if (hash === null && others === null) return { seq, id, author, agent, origin, time, splices, removed };
  if (hash === null) return { seq, id, author, agent, origin, time, splices, removed, ...others };
  const sha256 = Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString("hex");
  const change = { seq, id, author, agent, origin, time, splices, removed, sha256 };
  return others === null ? change : Object.assign(change, others);
}
