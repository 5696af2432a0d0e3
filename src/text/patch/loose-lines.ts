import { DocumentLines } from "./document-lines.ts";

const BOM = "\ufeff";

/** The loose form of an empty line, or of a line of blanks and tabs. */
export const LOOSE_BLANK = "|";

/**
 * Returns a line in a form for comparing as `patch -l` does. Every run of blanks and tabs is equal to any other, and
 * trailing ones are ignored. The form is never empty, so that a blank line stays a line.
 */
export function looseLine(line: string): string {
  const mark = line.startsWith(BOM) ? BOM : "";
  const text = line.slice(mark.length).replace(/[ \t]+/g, " ");
  return mark + LOOSE_BLANK + (text.endsWith(" ") ? text.slice(0, -1) : text);
}

/** Returns the document with each line in its `looseLine` form, under the same line numbers. */
export function looseLines(document: DocumentLines): DocumentLines {
  return new DocumentLines(document.bodies(0, document.count).map(looseLine).join("\n"));
}
