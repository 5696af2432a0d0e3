import { parseExactly } from "../text/exact-json.ts";
import { FEW_VALUES, INLINE_FRAME_BYTES, INLINE_PLAIN_BYTES, MOST_DEPTH, MOST_VALUES } from "./bounds.ts";

/** The value of one JSON text, or the reason for refusing it. */
export type ParsedJson =
  | { readonly value: unknown }
  | { readonly problem: "not JSON" }
  | { readonly problem: "too deep" | "too many values"; readonly limit: number };

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses JSON of bounded shape, with whole numbers that a double would round as bigints. It counts depth and values on the bytes first, because a parser creates an object for
 * every bracket, and later steps recurse into each.
 */
export function readJson(bytes: Uint8Array): ParsedJson {
  const problem = shapeProblem(bytes);
  if (problem !== undefined) return problem;
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
    return { value: parseExactly(text) };
  } catch {
    return { problem: "not JSON" };
  }
}

/** Returns true for a text that is parsed in a millisecond: it is short, or has long strings and few values. */
export function parsesFast(bytes: Uint8Array): boolean {
  if (bytes.length <= INLINE_FRAME_BYTES) return true;
  return bytes.length <= INLINE_PLAIN_BYTES && shapeProblem(bytes, FEW_VALUES) === undefined;
}

/**
 * Returns why the shape of a text is refused; undefined when it is accepted, valid JSON or not. One pass over the
 * bytes.
 */
function shapeProblem(
  bytes: Uint8Array,
  mostValues = MOST_VALUES,
): Exclude<ParsedJson, { value: unknown }> | undefined {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        i = stringEnd(bytes, i + 1);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        values++;
        if (++depth > MOST_DEPTH) return { problem: "too deep", limit: MOST_DEPTH };
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
      case COLON:
        values++;
        break;
    }
    if (values > mostValues) return { problem: "too many values", limit: mostValues };
  }
  return undefined;
}

/** Returns the index of the quote that ends a string, from inside it; the number of bytes when none does. */
function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; ; ) {
    const end = bytes.indexOf(QUOTE, at);
    if (end < 0) return bytes.length;
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH && end - 1 - escapes >= from) escapes++;
    if (escapes % 2 === 0) return end;
    at = end + 1;
  }
}
