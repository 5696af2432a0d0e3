import { randomBytes } from "node:crypto";

/** Returns a source of random bytes that fetches many at a time, because every id and peer needs a few. */
export function pooledRandom(): (size: number) => Uint8Array {
  let pool = randomBytes(0);
  let used = 0;
  return (size) => {
    if (used + size > pool.length) {
      pool = randomBytes(Math.max(4096, size));
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used);
  };
}
