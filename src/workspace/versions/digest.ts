import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { Text } from "../../text/text.ts";

/** The largest text, in bytes, that is hashed without yielding to other requests (I14). */
const HASH_AT_ONCE = 1 << 20;
/** The bytes of a larger text that are hashed before other requests continue. */
const YIELD_EVERY = 1 << 19;

const hashes = {
  plain: new WeakMap<Text, string>(),
  bom: new WeakMap<Text, string>(),
};

/** Returns the SHA-256 of a file's exact bytes, in hex; undefined if the text is too large to hash at once. */
export function digestNow(content: Decoded): string | undefined {
  const known = cache(content).get(content.text);
  if (known !== undefined || content.text.bytes > HASH_AT_ONCE) return known;
  const hash = createHash("sha256");
  for (const piece of encode(content)) hash.update(piece);
  return remember(content, hash.digest("hex"));
}

/** Returns the SHA-256 of a file's exact bytes, in hex, for a text of any size. */
export async function digest(content: Decoded): Promise<string> {
  const now = digestNow(content);
  if (now !== undefined) return now;
  const hash = createHash("sha256");
  let unyielded = 0;
  for (const piece of encode(content)) {
    hash.update(piece);
    unyielded += piece.length;
    if (unyielded >= YIELD_EVERY) {
      unyielded = 0;
      await setImmediate();
    }
  }
  return remember(content, hash.digest("hex"));
}

/** Returns the SHA-256 of a text in UTF-8, in hex. */
export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function cache({ bom }: Decoded): WeakMap<Text, string> {
  return bom ? hashes.bom : hashes.plain;
}

function remember(content: Decoded, hex: string): string {
  cache(content).set(content.text, hex);
  return hex;
}
