import { countChars } from "./positions.ts";
import type { Text } from "./text.ts";

/** The line ending of a text: one kind throughout, several (`mixed`), or none (a single line). */
export type Eol = "lf" | "crlf" | "cr" | "mixed" | "none";

/** Splits a text after every `\n`. The parts joined give the text; an empty text has no parts. */
export function splitLines(s: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < s.length) {
    const end = s.indexOf("\n", start);
    if (end < 0) break;
    lines.push(s.slice(start, end + 1));
    start = end + 1;
  }
  if (start < s.length) lines.push(s.slice(start));
  return lines;
}

/** Returns a line without its `\n` or `\r\n`. */
export function lineBody(line: string): string {
  if (!line.endsWith("\n")) return line;
  return line.slice(0, line.endsWith("\r\n") ? -2 : -1);
}

export function eolOf(text: Text): Eol {
  if (text.returns === 0) return text.breaks === 0 ? "none" : "lf";
  let lf = 0;
  let crlf = 0;
  let cr = 0;
  let last = 0;
  for (const piece of text.pieces()) {
    for (let i = 0; i < piece.length; i++) {
      const unit = piece.charCodeAt(i);
      if (unit === 10) {
        if (last === 13) {
          crlf++;
          cr--;
        } else lf++;
      } else if (unit === 13) cr++;
      last = unit;
    }
  }
  const kinds = (lf > 0 ? 1 : 0) + (crlf > 0 ? 1 : 0) + (cr > 0 ? 1 : 0);
  if (kinds > 1) return "mixed";
  return lf > 0 ? "lf" : crlf > 0 ? "crlf" : cr > 0 ? "cr" : "none";
}

/**
 * Returns `text` with each `\n` in the document's line ending. A text that already contains `\r` stays unchanged
 * (I11).
 */
export function adoptEol(text: string, eol: Eol): string {
  return eol === "crlf" && !text.includes("\r") ? text.replaceAll("\n", "\r\n") : text;
}

/** Returns the code point position of each line's start. */
export function lineOffsets(lines: readonly string[]): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const line of lines) {
    offsets.push(at);
    at += countChars(line);
  }
  return offsets;
}

/** Returns the text after the last line break. */
export function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}

/** Returns the text before the first line break. */
export function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}
