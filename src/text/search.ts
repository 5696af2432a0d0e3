import { type DocumentLines, withoutReturns } from "./document-lines.ts";
import type { Hunk } from "./hunk.ts";

/** Lines a hunk may stand off its stated place (4.7). */
export const MAX_OFFSET = 50;

/** What is known of a hunk's surroundings; indexes are 0-based. */
interface Around {
  /** By how many lines the hunk ahead was off its stated place. */
  readonly carried: number;
  /** The end of the hunk ahead. */
  readonly after: number;
  /** The line that the header names instead of a number: the hunk ends behind it. -1 for the document's start. */
  readonly anchor: number;
}

/** A hunk whose place is sought; indexes are 0-based. */
export interface Search extends Around {
  readonly hunk: Hunk;
  /** The hunk's number, from 1. */
  readonly number: number;
  /** Its context and deleted lines, as they stand in the patch and as the document is searched for them. */
  readonly old: readonly string[];
  readonly pattern: readonly string[];
  /** The header's place; undefined when it has none, and the lines must be the only ones in the document. */
  readonly stated: number | undefined;
  /** What its marks ask for: the document's end, as it was or only to be made. */
  readonly end: "anywhere" | "end" | "open end";
}

export function searchFor(hunk: Hunk, number: number, { carried, after, anchor }: Around): Search {
  const old: string[] = [];
  let marked = hunk.atEnd ?? false;
  let open = false;
  for (const { kind, text, noNewline } of hunk.lines) {
    if (kind !== "insert") old.push(text);
    if (noNewline) marked = true;
    if (noNewline && kind !== "insert") open = true;
  }
  const end = open ? "open end" : marked ? "end" : "anywhere";
  const line = hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart - 1;
  const stated = hunk.anchors === undefined ? line : undefined;
  return { hunk, number, old, pattern: patternOf(old), stated, carried, after, anchor, end };
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

/** True when nothing but its lines may speak against a hunk's landing at `place`. */
export function fits(document: DocumentLines, search: Search, place: number): boolean {
  const { stated, old, after, anchor } = search;
  // The only place of a hunk that states none is told of even where the hunk ahead of it is in the way.
  const free = stated === undefined ? place + old.length > anchor : place >= after;
  return free && endFits(document, search, place);
}

/**
 * Where a hunk may land: at its stated place, shifted as the hunk ahead was or not, else wherever within reach
 * it matches. `view` are the document's lines as they are compared.
 */
export function occurrencesOf(
  document: DocumentLines,
  view: DocumentLines,
  search: Search,
): readonly number[] {
  const { pattern, stated, carried } = search;
  const isFit = (place: number) => fits(document, search, place);
  if (stated === undefined) return view.find(pattern, 0, document.count).filter(isFit);
  for (const place of [stated + carried, stated])
    if (view.matchesAt(place, pattern) && isFit(place)) return [place];
  return view.find(pattern, stated - MAX_OFFSET, stated + MAX_OFFSET).filter(isFit);
}
