import { createHash } from "node:crypto";

/**
 * The bits for each key, and the number of bits that each key sets. One key in 2,000 that was never added seems
 * present.
 */
const BITS = 16;
const SET = 8;

/** Recognizes most keys that were never added (a Bloom filter), in two bytes a key. */
export function filterOf(keys: readonly string[]): Uint8Array {
  const filter = new Uint8Array(Math.ceil((keys.length * BITS) / 8));
  for (const key of keys) {
    const hash = keyHash(key);
    for (let i = 0; i < SET; i++) {
      const bit = bitOf(hash, i, filter);
      filter[bit >> 3]! |= 1 << (bit & 7);
    }
  }
  return filter;
}

/** Returns the hash by which filters know a key. One key is often looked for in many filters. */
export function keyHash(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** Returns false for a key, by its hash, that was not added. */
export function mayHave(filter: Uint8Array, hash: Buffer): boolean {
  for (let i = 0; i < SET; i++) {
    const bit = bitOf(hash, i, filter);
    if ((filter[bit >> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function bitOf(hash: Buffer, i: number, { length }: Uint8Array): number {
  return hash.readUInt32LE(4 * i) % (8 * length);
}
