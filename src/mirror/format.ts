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

/** True when a file lost its end and nothing else: what a write that is not done yet looks like. */
export function endsEarly(now: Decoded, known: Decoded): boolean {
  return now.text.chars < known.text.chars && known.text.slice(0, now.text.chars) === now.text.toString();
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
