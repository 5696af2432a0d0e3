import { commonHead } from "./ends.ts";
import { core, type Stretch, shift } from "./stretch.ts";

/** Returns true for blank, tab, `\n` and `\r`; form feed, NEL and the Unicode spaces are ordinary characters. */
export function isSpace(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 10 || unit === 13;
}

export function withoutSpace(s: string): string {
  return s.replace(/[ \t\n\r]+/g, "");
}

/** Returns the number of UTF-16 units of a string that are not white space. */
export function inkOf(s: string, from = 0, to = s.length): number {
  let ink = 0;
  for (let i = from; i < to; i++) if (!isSpace(s.charCodeAt(i))) ink++;
  return ink;
}

/**
 * Returns the changes between two texts that differ only in white space (indented, wrapped, CRLF); otherwise
 * undefined.
 */
export function spaceChanges(a: string, b: string): Stretch[] | undefined {
  const out: Stretch[] = [];
  let head = commonHead(a, b);
  while (head > 0 && isSpace(a.charCodeAt(head - 1))) head--;
  for (let i = head, j = head; ; i++, j++) {
    const a0 = i;
    const b0 = j;
    while (i < a.length && isSpace(a.charCodeAt(i))) i++;
    while (j < b.length && isSpace(b.charCodeAt(j))) j++;
    const isBetween = i > a0 || j > b0;
    if (isBetween && (i - a0 !== j - b0 || a.slice(a0, i) !== b.slice(b0, j)))
      out.push(shift(core(a.slice(a0, i), b.slice(b0, j)), a0, b0));
    if (i === a.length || j === b.length) return i === a.length && j === b.length ? out : undefined;
    if (a.charCodeAt(i) !== b.charCodeAt(j)) return undefined;
  }
}
