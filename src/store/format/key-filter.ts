import { hash } from "node:crypto";

/**
 * The bits for each key, and the number of bits that each key sets. One key in 170,000 that was never added seems
 * present. With 16 bits it would be one in 1,700, which is too many where a day's work has hundreds of filters.
 */
const BITS = 32;
const SET = 8;

/** Recognizes most keys that were never added (a Bloom filter), in four bytes a key. */
export function filterOf(keys: readonly string[]): Uint8Array {
  const filter = new Uint8Array(Math.ceil((keys.length * BITS) / 8));
  for (const key of keys) {
    const known = keyHash(key);
    for (let i = 0; i < SET; i++) {
      const bit = bitOf(known, i, filter);
      filter[bit >> 3]! |= 1 << (bit & 7);
    }
  }
  return filter;
}

/** Returns the hash by which filters know a key. One key is often looked for in many filters. */
export function keyHash(key: string): Uint32Array {
  const bytes = hash("sha256", key, "buffer");
  return Uint32Array.from({ length: SET }, (_, i) => bytes.readUInt32LE(4 * i));
}

/** Returns false for a key, by its hash, that was not added. */
export function mayHave(filter: Uint8Array, known: Uint32Array): boolean {
  for (let i = 0; i < SET; i++) {
    const bit = bitOf(known, i, filter);
    if ((filter[bit >> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function bitOf(known: Uint32Array, i: number, { length }: Uint8Array): number {
  return known[i]! % (8 * length);
}
