import type { RandomBytes } from "../doc/peers.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes ids of 80 random bits with a prefix for their kind, such as `chg_5hx0c…`. */
export function idMaker(random: RandomBytes): (prefix: string) => string {
  return (prefix) => {
    let id = `${prefix}_`;
    for (const byte of random(16)) id += ALPHABET[byte & 31];
    return id;
  };
}
