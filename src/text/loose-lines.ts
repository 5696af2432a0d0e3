import { DocumentLines } from "./document-lines.ts";

const BOM = "\ufeff";

/** How a line of nothing, or of nothing but blanks and tabs, compares. */
export const LOOSE_BLANK = "|";

/**
 * A line for comparing as `patch -l` does: any run of blanks and tabs is as good as any other, and none is
 * needed at the end. Never empty, so that lines of nothing but these keep being lines.
 */
export function looseLine(line: string): string {
  const mark = line.startsWith(BOM) ? BOM : "";
  const text = line.slice(mark.length).replace(/[ \t]+/g, " ");
  return mark + LOOSE_BLANK + (text.endsWith(" ") ? text.slice(0, -1) : text);
}

/** The same lines by number, as they compare with `looseLine`. */
export function looseLines(document: DocumentLines): DocumentLines {
  return new DocumentLines(document.bodies(0, document.count).map(looseLine).join("\n"));
}
