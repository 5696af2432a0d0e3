import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { Text } from "../../text/text.ts";

/** Up to this many bytes a hash is made at once; a larger one yields to others as it goes (I14). */
export const HASH_AT_ONCE = 1 << 20;
const YIELD_EVERY = 1 << 19;

const kept = {
  plain: new WeakMap<Text, string>(),
  bom: new WeakMap<Text, string>(),
};

/** SHA-256 of the file's exact bytes, hex; undefined when the text is too large to hash at once. */
export function digestNow(content: Decoded): string | undefined {
  const known = cache(content).get(content.text);
  if (known !== undefined || content.text.bytes > HASH_AT_ONCE) return known;
  const hash = createHash("sha256");
  for (const piece of encode(content)) hash.update(piece);
  return keep(content, hash.digest("hex"));
}

/** SHA-256 of the file's exact bytes, hex, however large. */
export async function digest(content: Decoded): Promise<string> {
  const now = digestNow(content);
  if (now !== undefined) return now;
  const hash = createHash("sha256");
  let since = 0;
  for (const piece of encode(content)) {
    hash.update(piece);
    since += piece.length;
    if (since >= YIELD_EVERY) {
      since = 0;
      await setImmediate();
    }
  }
  return keep(content, hash.digest("hex"));
}

/** SHA-256 of a part of a text in UTF-8, hex. */
export function digestText(part: string): string {
  return createHash("sha256").update(part).digest("hex");
}

function cache({ bom }: Decoded): WeakMap<Text, string> {
  return bom ? kept.bom : kept.plain;
}

function keep(content: Decoded, hex: string): string {
  cache(content).set(content.text, hex);
  return hex;
}
