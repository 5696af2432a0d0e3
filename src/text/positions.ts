/**
 * Position units. Positions count Unicode code points (`utf-32`) everywhere in the project. JavaScript strings and
 * Loro's JS binding count UTF-16 code units; files count UTF-8 bytes. Only this module and the leaves of `Text`
 * convert between them.
 */

/** The unit names of LSP's `positionEncoding`. */
export type Unit = "utf-32" | "utf-16" | "utf-8";

/**
 * The size of a string in each unit, and its numbers of line breaks and carriage returns. Only `\n` is a line break:
 * form feed, NEL and U+2028 are text.
 */
export interface Measure {
  readonly chars: number;
  readonly utf16: number;
  readonly bytes: number;
  readonly breaks: number;
  readonly returns: number;
}

export function measure(s: string): Measure {
  const utf16 = s.length;
  if (ASCII.test(s))
    return { chars: utf16, utf16, bytes: utf16, breaks: count(s, "\n"), returns: count(s, "\r") };
  let chars = utf16;
  let bytes = utf16;
  let breaks = 0;
  let returns = 0;
  for (let i = 0; i < utf16; i++) {
    const unit = s.charCodeAt(i);
    if (unit < 0x80) {
      if (unit === 10) breaks++;
      else if (unit === 13) returns++;
    } else if (unit < 0x800) bytes += 1;
    else if (isHigh(unit)) {
      chars -= 1;
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return { chars, utf16, bytes, breaks, returns };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII, too
const ASCII = /^[\x00-\x7f]*$/;

function count(s: string, character: string): number {
  let n = 0;
  for (let i = s.indexOf(character); i >= 0; i = s.indexOf(character, i + 1)) n++;
  return n;
}

/** Returns true when each code point of a string is one UTF-16 unit, so that positions in both units are the same. */
export function hasNoPairs(s: string): boolean {
  return !HIGH.test(s);
}

const HIGH = /[\ud800-\udbff]/;

/** Returns the number of code points in a well-formed string. */
export function countChars(s: string): number {
  let chars = s.length;
  for (let i = 0; i < s.length; i++) if (isHigh(s.charCodeAt(i))) chars--;
  return chars;
}

/** Returns the UTF-16 index of code point `chars` in `s`; `s.length` when it lies past the end. */
export function utf16Index(s: string, chars: number): number {
  let i = 0;
  for (let left = chars; left > 0 && i < s.length; left--) i += isHigh(s.charCodeAt(i)) ? 2 : 1;
  return i;
}

/** Converts an offset in `s` between units; undefined when it lies outside the string or inside a character. */
export function convertOffset(s: string, offset: number, from: Unit, to: Unit): number | undefined {
  let chars = 0;
  let bytes = 0;
  let i = 0;
  const at = () => (from === "utf-32" ? chars : from === "utf-16" ? i : bytes);
  while (at() < offset && i < s.length) {
    const unit = s.charCodeAt(i);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : isHigh(unit) ? 4 : 3;
    i += isHigh(unit) ? 2 : 1;
    chars++;
  }
  if (at() !== offset) return undefined;
  return to === "utf-32" ? chars : to === "utf-16" ? i : bytes;
}

/** Returns false when `s` contains a lone surrogate, which UTF-8 cannot represent and Loro would silently replace. */
export function isWellFormed(s: string): boolean {
  return s.isWellFormed();
}

/** Returns the cut at UTF-16 index `i`, moved back when it would fall inside a surrogate pair. */
export function safeCut(s: string, i: number): number {
  return i > 0 && i < s.length && isHigh(s.charCodeAt(i - 1)) ? i - 1 : i;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
