import { createHash } from "node:crypto";

/** Bits for each key, and how many of them each key sets: one key in 2,000 that was never added seems to be there. */
const BITS = 16;
const SET = 8;

/** Tells of most keys that they were never added (a Bloom filter), in two bytes a key. */
export function filterOf(keys: readonly string[]): Uint8Array {
  const filter = new Uint8Array(Math.ceil((keys.length * BITS) / 8));
  for (const key of keys) for (const bit of bitsOf(key, filter)) filter[bit >> 3]! |= 1 << (bit & 7);
  return filter;
}

/** Returns false for a key that was not added. */
export function mayHave(filter: Uint8Array, key: string): boolean {
  return bitsOf(key, filter).every((bit) => (filter[bit >> 3]! & (1 << (bit & 7))) !== 0);
}

function bitsOf(key: string, { length }: Uint8Array): number[] {
  const hash = createHash("sha256").update(key).digest();
  return Array.from({ length: SET }, (_, i) => hash.readUInt32LE(4 * i) % (8 * length));
}
