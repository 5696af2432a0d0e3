import type { DocumentLines } from "./document-lines.ts";
import { trimmed } from "./fuzz.ts";
import type { Hunk } from "./hunk.ts";
import type { HunkLine } from "./hunk-body.ts";
import { LOOSE_BLANK, looseLine } from "./loose-lines.ts";
import { patternOf } from "./search.ts";

/** Returns a hunk without blank context at its ends; undefined when no other line is left to find its start by. */
export function withoutBlankEnds(hunk: Hunk): Hunk | undefined {
  const { lines } = hunk;
  const head = lines.findIndex((line) => !isBlankContext(line));
  const tail = lines.length - 1 - lines.findLastIndex((line) => !isBlankContext(line));
  const rest = trimmed(hunk, head, tail);
  const first = rest.lines.find((line) => line.kind !== "insert");
  return first === undefined || isBlankContext(first) ? undefined : rest;
}

/**
 * Returns the hunk with the document's blank lines from `place` on. Blank context lines that the document lacks are
 * removed; blank lines that only the document has are added. They are not added next to inserted lines or between two
 * deleted lines, because the patch would not define their fate.
 *
 * @param view the document's lines as `looseLine` returns them
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
