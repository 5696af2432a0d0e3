import type { DocumentLines } from "./document-lines.ts";
import { trimmed } from "./fuzz.ts";
import type { Hunk } from "./hunk.ts";
import type { HunkLine } from "./hunk-body.ts";
import { LOOSE_BLANK, looseLine } from "./loose-lines.ts";
import { patternOf } from "./search.ts";

/** A hunk without the blank context that it begins and ends with; undefined when it may begin nowhere else. */
export function withoutBlankEnds(hunk: Hunk): Hunk | undefined {
  const { lines } = hunk;
  const head = lines.findIndex((line) => !isBlankContext(line));
  const tail = lines.length - 1 - lines.findLastIndex((line) => !isBlankContext(line));
  const rest = trimmed(hunk, head, tail);
  const first = rest.lines.find((line) => line.kind !== "insert");
  return first === undefined || isBlankContext(first) ? undefined : rest;
}

/**
 * The hunk as it would read if it had the document's blank lines, starting at `place`: blank context lines
 * that are not there are left out, and blank lines that only the document has come in, though not where lines
 * are inserted or between two that are deleted, as it would not be known what becomes of them.
 * @param view the document's lines as `looseLine` makes them
 */
export function withBlanksOf(view: DocumentLines, hunk: Hunk, place: number): Hunk | undefined {
  const lines: HunkLine[] = [];
  let at = place;
  let last: HunkLine["kind"] | undefined;
  for (const line of hunk.lines) {
    if (line.kind === "insert") {
      lines.push(line);
      last = "insert";
      continue;
    }
    const key = patternOf([line.text]).map(looseLine);
    if (!view.matchesAt(at, key)) {
      if (isBlankContext(line)) continue;
      if (last === undefined || last === "insert" || (last === "delete" && line.kind === "delete"))
        return undefined;
      for (; view.matchesAt(at, [LOOSE_BLANK]); at++) lines.push({ kind: "context", text: "" });
      if (!view.matchesAt(at, key)) return undefined;
    }
    lines.push(line);
    last = line.kind;
    at++;
  }
  const more = at - place - hunk.oldCount;
  return { ...hunk, lines, oldCount: hunk.oldCount + more, newCount: hunk.newCount + more };
}

function isBlankContext({ kind, text }: HunkLine): boolean {
  return kind === "context" && /^[ \t]*\r*$/.test(text);
}
