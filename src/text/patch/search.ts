import { type DocumentLines, withoutReturns } from "./document-lines.ts";
import type { Hunk } from "./hunk.ts";

/** The most lines between a hunk and its stated place (4.7). */
export const MAX_OFFSET = 50;

/** The surroundings of a hunk; indexes are 0-based. */
interface Around {
  /** The offset of the previous hunk from its stated place, in lines. */
  readonly carried: number;
  /** The end of the previous hunk. */
  readonly after: number;
  /** The line that the header names instead of a number; the hunk ends after it. -1 for the document's start. */
  readonly anchor: number;
}

/** A hunk to place; indexes are 0-based. */
export interface Search extends Around {
  readonly hunk: Hunk;
  /** The hunk's number, from 1. */
  readonly number: number;
  /** The hunk's context and deleted lines: as the patch has them, and in the form to search for. */
  readonly old: readonly string[];
  readonly pattern: readonly string[];
  /** The header's place. Undefined when the header has none; the lines must then be unique in the document. */
  readonly stated: number | undefined;
  /** The requirement of the hunk's marks: the document's end, with or without a newline before the patch. */
  readonly end: "anywhere" | "end" | "open end";
  /** The edge of the document that git would tie the hunk to, because one side lacks context. */
  readonly edge: "start" | "end" | undefined;
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
  const edge = edgeOf(hunk);
  return { hunk, number, old, pattern: patternOf(old), stated, carried, after, anchor, end, edge };
}

/** A hunk with less context on one side comes from the start or the end of a file, as `git apply` reads it. */
function edgeOf({ lines, anchors, oldStart }: Hunk): Search["edge"] {
  if (anchors !== undefined) return undefined;
  const head = lines.findIndex((line) => line.kind !== "context");
  const tail = lines.length - 1 - lines.findLastIndex((line) => line.kind !== "context");
  if (tail === 0 && head > 0) return "end";
  return oldStart <= 1 && head < tail ? "start" : undefined;
}

/** Returns true when a hunk of the file's start or end is there at `place`, and for every other hunk. */
export function isAtEdge(document: DocumentLines, { edge, old }: Search, place: number): boolean {
  if (edge === undefined) return true;
  return edge === "start" ? place === 0 : place + old.length === document.count;
}

/** Returns lines of a patch without the `\r`s of their endings. */
export function patternOf(texts: readonly string[]): readonly string[] {
  return texts.some((text) => text.endsWith("\r")) ? texts.map(withoutReturns) : texts;
}

/** Returns true when the hunk's marks agree with the document's end at `place`. */
export function endFits(document: DocumentLines, search: Search, place: number): boolean {
  if (search.end === "anywhere") return true;
  return place + search.old.length === document.count && (search.end === "end" || document.open);
}

/** Returns true when the hunk may be placed at `place`, provided that its lines match there. */
export function fits(document: DocumentLines, search: Search, place: number): boolean {
  const { stated, old, after, anchor } = search;
  // For a hunk without a stated place, a place before the previous hunk still counts, so that the refusal can name it.
  const free = stated === undefined ? place + old.length > anchor : place >= after;
  return free && endFits(document, search, place);
}

/**
 * Returns the places where a hunk fits: its stated place, with or without the offset of the previous hunk, or else all
 * matches within reach. `view` are the document's lines in the form for comparing.
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
