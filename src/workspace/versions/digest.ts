import { createHash, type Hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type Decoded, encode } from "../../mirror/format.ts";
import type { Text } from "../../text/text.ts";

/** The largest text, in bytes, that is hashed without yielding to other requests (I14). */
const HASH_AT_ONCE = 1 << 20;
/** The bytes of a larger text that are hashed before other requests continue. */
const YIELD_EVERY = 1 << 19;

/** A shorter text is hashed faster than the beginning of it is found again. */
const WORTH_MARKING = 16 << 10;

/** A hash after the first pieces of a file, with which the hash of the next version begins. */
interface Mark {
  readonly bom: boolean;
  readonly pieces: number;
  readonly state: Hash;
}

const marks = new WeakMap<Text, Mark>();
const hashes = {
  plain: new WeakMap<Text, string>(),
  bom: new WeakMap<Text, string>(),
};

/**
 * Returns the SHA-256 of a file's exact bytes, in hex; undefined if the text is too large to hash at once. `before` is the
 * version before, whose beginning is not hashed again.
 */
export function digestNow(content: Decoded, before?: Text): string | undefined {
  const known = cache(content).get(content.text);
  if (known !== undefined || content.text.bytes > HASH_AT_ONCE) return known;
  const pieces = encode(content);
  const hash =
    before === undefined || content.text.bytes < WORTH_MARKING
      ? hashed(createHash("sha256"), pieces)
      : hashedOver(content, before, pieces);
  return remember(content, hash.digest("hex"));
}

/** Hashes pieces, the first of which are an earlier version's, and marks the beginning of the others. */
function hashedOver({ bom, text }: Decoded, before: Text, pieces: readonly Uint8Array[]): Hash {
  const earlier = encode({ bom, text: before });
  let same = 0;
  while (same < pieces.length && pieces[same] === earlier[same]) same++;
  const mark = marks.get(before);
  const start = mark?.bom === bom && mark.pieces <= same ? mark : undefined;
  const hash = start?.state.copy() ?? createHash("sha256");
  hashed(hash, pieces.slice(start?.pieces ?? 0, same));
  marks.delete(before);
  marks.set(text, { bom, pieces: same, state: hash.copy() });
  return hashed(hash, pieces.slice(same));
}

function hashed(hash: Hash, pieces: readonly Uint8Array[]): Hash {
  for (const piece of pieces) hash.update(piece);
  return hash;
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
