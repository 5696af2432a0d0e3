import { Text } from "../text/text.ts";

/** The content of a file: its text with its line endings, and whether a byte order mark is before it (I11). */
export interface Decoded {
  readonly bom: boolean;
  readonly text: Text;
}

const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the content of a file's bytes; undefined when they are not UTF-8 text, or contain a NUL. */
export function decode(bytes: Uint8Array): Decoded | undefined {
  if (bytes.includes(0)) return undefined;
  const bom = BOM.every((byte, i) => bytes[i] === byte);
  try {
    return {
      bom,
      text: Text.of(decoder.decode(bom ? bytes.subarray(3) : bytes)),
    };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Returns the exact bytes of a file with this content, in pieces. */
export function encode({ bom, text }: Decoded): Uint8Array[] {
  return bom ? [BOM, ...text.encoded()] : text.encoded();
}

/** Returns true for the exact bytes of a file with this content. */
export function isEncodedAs(content: Decoded, bytes: Uint8Array): boolean {
  return Buffer.concat(encode(content)).equals(bytes);
}

/** The number of last characters that identify the end of a file. */
const END = 64;

/**
 * Returns true when a file became shorter and has another end, or is the beginning of the known text. An incomplete
 * write looks like this.
 */
export function endsEarly({ text: now }: Decoded, { text: known }: Decoded): boolean {
  return (
    now.chars < known.chars && (endOf(now, now.chars) !== endOf(known, known.chars) || begins(known, now))
  );
}

/** Returns true when a file is unchanged, or text was only added at its end. */
export function grew({ text: now }: Decoded, { text: known }: Decoded): boolean {
  return now.chars >= known.chars && begins(now, known);
}

function begins(text: Text, start: Text): boolean {
  const { chars } = start;
  return endOf(text, chars) === endOf(start, chars) && text.slice(0, chars) === start.toString();
}

/** Returns the last characters before a position. */
function endOf(text: Text, at: number): string {
  return text.slice(Math.max(0, at - END), at);
}

/** Returns true when a file's first bytes can be the start of a text; they may end within a character. */
export function looksText(start: Uint8Array): boolean {
  if (start.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false; // a fatal decoder fails only for bytes that are not UTF-8
  }
}
