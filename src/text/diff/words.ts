import { isSpace } from "./space.ts";

/** The kinds of UTF-16 units. A mark is a word by itself. */
const SPACE = 1;
const MARK = 2;
const WORD = 3;
/** The kinds found so far, because every diff asks for many. */
const KINDS = new Uint8Array(0x10000);

function kindOf(unit: number): number {
  const known = KINDS[unit]!;
  if (known > 0) return known;
  const found = findKind(unit);
  KINDS[unit] = found;
  return found;
}

/** Surrogates are parts of words. So are symbols outside ASCII: some belong to numbers, or join characters. */
function findKind(unit: number): number {
  if (isSpace(unit)) return SPACE;
  // CJK and kana are written without spaces: each character is a word of its own.
  if (unit >= 0x2e80 && unit < 0xa000) return MARK;
  const char = String.fromCharCode(unit);
  const isMark = unit < 0x80 ? !/\w/.test(char) : /\p{P}/u.test(char);
  return isMark ? MARK : WORD;
}

/** Returns true when no word and no run of white space spans index `i`. */
export function isWordEdge(s: string, i: number): boolean {
  if (i <= 0 || i >= s.length) return true;
  const kind = kindOf(s.charCodeAt(i));
  return kind === MARK || kind !== kindOf(s.charCodeAt(i - 1));
}

/** Splits a string into words, runs of white space and single marks; joined, the parts are the string. */
export function splitWords(s: string): string[] {
  if (s === "") return [];
  const parts: string[] = [];
  let from = 0;
  let before = kindOf(s.charCodeAt(0));
  for (let i = 1; i < s.length; i++) {
    const kind = kindOf(s.charCodeAt(i));
    const isEdge = kind === MARK || kind !== before;
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
