import { type DocumentLines, withoutReturns } from "./document-lines.ts";
import type { Hunk } from "./hunk.ts";

/** Lines a hunk may stand off its stated place (4.7). */
export const MAX_OFFSET = 50;

/** A hunk whose place is sought; indexes are 0-based. */
export interface Search {
  readonly hunk: Hunk;
  /** The hunk's number, from 1. */
  readonly number: number;
  /** Its context and deleted lines, as they stand in the patch and as the document is searched for them. */
  readonly old: readonly string[];
  readonly pattern: readonly string[];
  /** The header's place. */
  readonly stated: number;
  /** By how many lines the hunk ahead was off its stated place. */
  readonly carried: number;
  /** The end of the hunk ahead. */
  readonly after: number;
  /** What its marks `\ No newline at end of file` ask for: the document's end, as it was or only to be made. */
  readonly end: "anywhere" | "end" | "open end";
}

export function searchFor(hunk: Hunk, number: number, carried: number, after: number): Search {
  const old: string[] = [];
  let marked = false;
  let open = false;
  for (const { kind, text, noNewline } of hunk.lines) {
    if (kind !== "insert") old.push(text);
    if (noNewline) marked = true;
    if (noNewline && kind !== "insert") open = true;
  }
  const end = open ? "open end" : marked ? "end" : "anywhere";
  const stated = hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart - 1;
  return { hunk, number, old, pattern: patternOf(old), stated, carried, after, end };
}

/** Lines of a patch without what may be left of their endings. */
export function patternOf(texts: readonly string[]): readonly string[] {
  return texts.some((text) => text.endsWith("\r")) ? texts.map(withoutReturns) : texts;
}

/** True when the hunk's marks agree with what follows it at `place`. */
export function endFits(document: DocumentLines, search: Search, place: number): boolean {
  if (search.end === "anywhere") return true;
  return place + search.old.length === document.count && (search.end === "end" || document.open);
}
