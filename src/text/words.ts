import { isSpace } from "./space.ts";

/**
 * Returns 0 for white space, 1 for a mark that is a word by itself, 2 for a part of a word. Surrogates are parts of
 * words.
 */
function kindOf(unit: number): number {
  if (unit < ASCII) return KINDS[unit]!;
  // CJK and kana are written without spaces: each character is a word of its own.
  return unit >= 0x2e80 && unit < 0xa000 ? 1 : 2;
}

const ASCII = 0x80;
/** The kinds of the ASCII characters: every diff asks for many of them. */
const KINDS = Uint8Array.from({ length: ASCII }, (_, unit) => (isSpace(unit) ? 0 : isWordUnit(unit) ? 2 : 1));

function isWordUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95
  );
}

/** Returns true when no word and no run of white space spans index `i`. */
export function isWordEdge(s: string, i: number): boolean {
  if (i <= 0 || i >= s.length) return true;
  const kind = kindOf(s.charCodeAt(i));
  return kind === 1 || kind !== kindOf(s.charCodeAt(i - 1));
}

/** Splits a string into words, runs of white space and single marks; joined, the parts are the string. */
export function splitWords(s: string): string[] {
  if (s === "") return [];
  const parts: string[] = [];
  let from = 0;
  let before = kindOf(s.charCodeAt(0));
  for (let i = 1; i < s.length; i++) {
    const kind = kindOf(s.charCodeAt(i));
    const isEdge = kind === 1 || kind !== before;
    before = kind;
    if (!isEdge) continue;
    parts.push(s.slice(from, i));
    from = i;
  }
  parts.push(s.slice(from));
  return parts;
}

/** Returns the UTF-16 index at which each part starts, followed by the end of the last. */
export function startsOf(parts: readonly string[]): number[] {
  const starts = [0];
  let at = 0;
  for (const part of parts) {
    at += part.length;
    starts.push(at);
  }
  return starts;
}
