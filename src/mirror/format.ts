import { Text } from "../text/text.ts";

/** A file's bytes as text: what is before the text, and the text itself, line endings as they are (I11). */
export interface Decoded {
  readonly bom: boolean;
  readonly text: Text;
}

const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined when the bytes are no text: not UTF-8, or a NUL among them. */
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

/** The file's exact bytes, in pieces. */
export function encode({ bom, text }: Decoded): Uint8Array[] {
  return bom ? [BOM, ...text.encoded()] : text.encoded();
}

/** So many characters at the end tell whether it is the end that a file had. */
const END = 64;

/**
 * True when a file became shorter and ends otherwise than it did, or is the mere beginning of what it was: what a
 * write that is not done yet looks like.
 */
export function endsEarly({ text: now }: Decoded, { text: known }: Decoded): boolean {
  return (
    now.chars < known.chars && (endOf(now, now.chars) !== endOf(known, known.chars) || begins(known, now))
  );
}

/** True when nothing was done to a file but that text was added at its end, if that. */
export function grew({ text: now }: Decoded, { text: known }: Decoded): boolean {
  return now.chars >= known.chars && begins(now, known);
}

function begins(text: Text, start: Text): boolean {
  const { chars } = start;
  return endOf(text, chars) === endOf(start, chars) && text.slice(0, chars) === start.toString();
}

/** The last characters ahead of a position. */
function endOf(text: Text, at: number): string {
  return text.slice(Math.max(0, at - END), at);
}

/** True when a file's first bytes could begin a text; a character that they cut in two is forgiven. */
export function looksText(start: Uint8Array): boolean {
  if (start.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false; // the only way a fatal decoder fails: not UTF-8
  }
}
