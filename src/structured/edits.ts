import { diff } from "../text/diff/diff.ts";
import { countChars } from "../text/positions.ts";
import { normalize, type Splice } from "../text/splice.ts";

/** A replacement of `from..to` by `insert`, in UTF-16 indexes, the unit of parsers. */
export interface IndexEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Returns the edits by place; edits at one place stay in their order. */
function sortedEdits(edits: readonly IndexEdit[]): IndexEdit[] {
  return [...edits].sort((a, b) => a.from - b.from);
}

/** Returns the text after edits that do not overlap. */
export function applied(text: string, edits: readonly IndexEdit[]): string {
  let result = "";
  let done = 0;
  for (const { from, to, insert } of sortedEdits(edits)) {
    if (from < done || to < from) throw new RangeError(`edit ${from}..${to} overlaps one before ${done}`);
    result += text.slice(done, from) + insert;
    done = to;
  }
  return result + text.slice(done);
}

/** Returns the edits as splices (code points) of only the characters that differ. */
export function toSplices(text: string, edits: readonly IndexEdit[]): Splice[] {
  const splices: Splice[] = [];
  let chars = 0;
  let done = 0;
  for (const { from, to, insert } of sortedEdits(edits)) {
    chars += countChars(text.slice(done, from));
    done = from;
    for (const s of diff(text.slice(from, to), insert))
      splices.push({ from: chars + s.from, to: chars + s.to, insert: s.insert });
  }
  return normalize(splices);
}

/** Returns the start of the line that contains an index. */
export function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

/** Returns the end of the line that contains an index, before its line break. */
export function lineEnd(text: string, index: number): number {
  const end = text.indexOf("\n", index);
  if (end < 0) return text.length;
  return end > index && text[end - 1] === "\r" ? end - 1 : end;
}

/** Returns the start of the next line; the text's end on the last one. */
export function nextLine(text: string, index: number): number {
  const end = text.indexOf("\n", index);
  return end < 0 ? text.length : end + 1;
}

/** Returns the white space that a line begins with. */
export function indentAt(text: string, index: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, index), lineEnd(text, index)))![0];
}

export type Eol = "\n" | "\r\n";

/** Returns the line break of the text's first line, which new lines use, too. */
export function lineBreak(text: string): Eol {
  return breakAt(text, 0, "\n");
}

/**
 * Returns the line break of the line that contains an index; `otherwise` for a last line without one. A new line that an
 * edit inserts at this line's end begins with it, so that this line keeps its own.
 */
export function breakAt(text: string, index: number, otherwise: Eol): Eol {
  const end = text.indexOf("\n", index);
  if (end < 0) return otherwise;
  return end > 0 && text[end - 1] === "\r" ? "\r\n" : "\n";
}

/** Returns true for a text whose lines end with different breaks. */
export function hasMixedBreaks(text: string): boolean {
  return text.includes("\r\n") && /(?:^|[^\r])\n/.test(text);
}
