import { withoutSpace } from "../diff/space.ts";
import type { DocumentLines } from "./document-lines.ts";
import { looseLine } from "./loose-lines.ts";
import { nearest } from "./nearest.ts";
import { type PatchFailure, type PatchReason, quote } from "./patch-failure.ts";
import { endFits, MAX_OFFSET, patternOf, type Search } from "./search.ts";

/** The most lines, and the most places, that a refusal lists. */
const MOST_LISTED = 50;

/**
 * Returns why a hunk has no place although its lines are in the document; undefined when they are not. `near` are the
 * matching places within reach, `view` the document's lines in the form for comparing.
 */
export function refusePlace(
  document: DocumentLines,
  view: DocumentLines,
  search: Search,
  near: readonly number[],
): PatchFailure | undefined {
  const { number, pattern, stated, after } = search;
  if (near.length > 1) {
    const text =
      stated === undefined
        ? `matches at ${listed(near)}, and its header has no line numbers.`
        : `matches at ${listed(near)}, and not at its stated line ${stated + 1}.`;
    return refusal(search, "context_ambiguous", stated ?? near[0]!, text, { candidates: lineNumbers(near) });
  }
  const everywhere = view.find(pattern, 0, document.count);
  const fitting = everywhere.filter((place) => endFits(document, search, place));
  const free = fitting.filter((place) => place >= after);
  if (free.length > 0 && stated !== undefined) {
    const place = closest(free, stated);
    const text = `expects its lines at line ${stated + 1}, but they are at ${listed(free)}, ${Math.abs(place - stated)} lines away; at most ${MAX_OFFSET} are allowed. The patch looks outdated.`;
    return refusal(search, "context_overflow", place, text, { candidates: lineNumbers(free) });
  }
  if (free.length > 0) {
    const text = `matches at ${listed(free)}, before the line that its header names (line ${search.anchor + 1}).`;
    return refusal(search, "context_mismatch", free[0]!, text, { candidates: lineNumbers(free) });
  }
  if (fitting.length > 0) {
    const text = `matches at ${listed(fitting)}, before the end of hunk ${number - 1} (line ${after}).`;
    return refusal(search, "range_overlap", closest(fitting, stated ?? after), text, {
      candidates: lineNumbers(fitting),
    });
  }
  if (everywhere.length > 0) {
    const text = `${marksEnd(search)}, but ${endOf(document)}.`;
    return refusal(search, "context_mismatch", document.count - 1, text, {
      candidates: lineNumbers(everywhere),
    });
  }
  return undefined;
}

/** Returns why a hunk without context cannot go to its stated place. */
export function refuseInsert(document: DocumentLines, search: Search): PatchFailure {
  const { hunk, number, stated, carried, after } = search;
  if (stated === undefined) {
    const text = "inserts lines, but has neither a line number nor context lines that show their place.";
    return refusal(search, "context_ambiguous", 0, text);
  }
  const only = `inserts after line ${hunk.oldStart}`;
  if (stated > document.count)
    return refusal(
      search,
      "range_overflow",
      document.count,
      `${only}, but the document has ${sizeOf(document)}.`,
    );
  if (stated < after) {
    const text = `${only}, before the end of hunk ${number - 1} (line ${after}).`;
    return refusal(search, "range_overlap", stated, text);
  }
  if (carried !== 0) {
    const text = `${only} without context, but hunk ${number - 1} fits only ${carried} lines away from its stated line.`;
    return refusal(search, "context_ambiguous", stated, text, {
      candidates: lineNumbers([stated, stated + carried]),
    });
  }
  const text = `${only} and ${marksEnd(search)}, but ${endOf(document)}.`;
  return refusal(search, "context_mismatch", stated, text);
}

function refusal(
  { hunk, number, old }: Search,
  reason: PatchReason,
  at: number,
  text: string,
  more: Partial<PatchFailure> = {},
): PatchFailure {
  const message = `Hunk ${number} (${hunk.header.split(" @@", 1)[0]} @@) ${text}`;
  return {
    reason,
    hunk: number,
    line: Math.max(1, at + 1),
    message,
    expected: old.slice(0, MOST_LISTED),
    ...more,
  };
}

/** Refuses a patch for an empty document when the document already equals the patch's result. */
export function refuseCopy(document: DocumentLines, search: Search): PatchFailure | undefined {
  const result = patternOf(search.hunk.lines.map((line) => line.text));
  if (search.stated !== 0 || result.length !== document.count || !document.matchesAt(0, result))
    return undefined;
  const text = "is already applied: the document already has exactly this text. Leave the hunk out.";
  return refusal(search, "already_applied", 0, text);
}

/** Refuses a hunk whose result is already at its place in the document. */
export function refuseApplied(document: DocumentLines, search: Search): PatchFailure | undefined {
  const { hunk, stated, carried } = search;
  const result = hunk.lines.filter((line) => line.kind !== "delete").map((line) => line.text);
  const pattern = patternOf(result);
  const around = (place: number) => document.find(pattern, place - MAX_OFFSET, place + MAX_OFFSET);
  const found =
    stated === undefined
      ? document.find(pattern, 0, document.count)
      : [...around(stated + carried), ...around(hunk.newStart - 1)];
  // A single line of context occurs in many places and proves nothing.
  const proves = result.length > 1 || hunk.lines.some((line) => line.kind === "insert");
  if (found.length === 0 || !proves) return undefined;
  const place = closest(found, (stated ?? 0) + carried);
  const text = `is already applied: its result is at line ${place + 1}. Leave the hunk out.`;
  return refusal(search, "already_applied", place, text, actualLines(document, search, stated ?? place));
}

/**
 * Refuses a hunk that adds lines which are already there, although its old lines match at `place`, too. At the end of a
 * file they still match after the hunk was applied. `view` are the document's lines in the form for comparing.
 */
export function refuseRepeated(
  document: DocumentLines,
  view: DocumentLines,
  search: Search,
  place: number | undefined,
): PatchFailure | undefined {
  const { hunk, stated, carried } = search;
  const result = patternOf(hunk.lines.filter(({ kind }) => kind !== "delete").map(({ text }) => text));
  const added = hunk.lines.filter(({ kind }) => kind === "insert");
  // Without old lines, only the added ones prove it, and a brace or a blank line proves nothing.
  const proves = hunk.oldCount > 0 || added.some(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (added.length === 0 || result.length <= hunk.oldCount || !proves) return undefined;
  const pattern = view === document ? result : result.map(looseLine);
  const here = stated === undefined ? place : stated + carried;
  const at = [place, here].find((each) => each !== undefined && view.matchesAt(each, pattern));
  // The added lines have moved the old ones down: away from the stated place, old lines that stand in a result count.
  const isMoved = place !== undefined && place !== here;
  const found = at ?? (isMoved ? view.find(pattern, place - added.length, place)[0] : undefined);
  if (found === undefined) return undefined;
  const text = `is already applied: its result is at line ${found + 1}. Leave the hunk out, or name the version that the patch was made from.`;
  return refusal(search, "already_applied", found, text);
}

/** Refuses a hunk whose lines are not in the document. The refusal gives the actual lines and the most similar ones. */
export function refuseMismatch(document: DocumentLines, search: Search): PatchFailure {
  const { old, pattern } = search;
  const place = nearest(document, pattern, search.stated ?? search.after);
  const stated = search.stated ?? place;
  if (stated === undefined) {
    const text = `expects ${quote(old[0]!)} and the lines after it, but the document has none of them.`;
    return refusal(search, "context_mismatch", 0, text);
  }
  const off = firstDifference(document, pattern, stated);
  const at = stated + off;
  const actual =
    at < document.count ? `is ${quote(bodyAt(document, at))}` : `does not exist (${endOf(document)})`;
  let text = `expects ${quote(old[off]!)} at line ${at + 1}, which ${actual}.`;
  if (place === undefined)
    return refusal(search, "context_mismatch", at, text, actualLines(document, search, stated));
  const differs = firstDifference(document, pattern, place);
  if (place !== stated && differs >= 0) {
    const there = place + differs;
    const is = there < document.count ? `is ${quote(bodyAt(document, there))}` : "does not exist";
    text += ` The nearest match starts at line ${place + 1}; there line ${there + 1} ${is} instead of ${quote(old[differs]!)}.`;
  }
  const lines = document.bodies(place, place + old.length);
  if (withoutSpace(lines.join("")) === withoutSpace(old.join(""))) text += " Only white space differs.";
  return refusal(search, "context_mismatch", at, text, {
    ...actualLines(document, search, stated),
    nearest: { line: place + 1, text: lines.slice(0, MOST_LISTED) },
  });
}

function actualLines(document: DocumentLines, { old }: Search, at: number): Partial<PatchFailure> {
  return { start: at + 1, actual: document.bodies(at, at + Math.min(MOST_LISTED, old.length)) };
}

/** Returns how a hunk marks the document's end. */
function marksEnd({ hunk }: Search): string {
  const mark = hunk.atEnd ? "*** End of File" : "\\ No newline at end of file";
  return `marks the end of the file with ${quote(mark)}`;
}

/** Returns the index of the first pattern line that differs from the document; -1 when none does. */
function firstDifference(document: DocumentLines, pattern: readonly string[], at: number): number {
  return pattern.findIndex((line, i) => !document.matchesAt(at + i, [line]));
}

function bodyAt(document: DocumentLines, index: number): string {
  return document.bodies(index, index + 1)[0] ?? "";
}

function endOf(document: DocumentLines): string {
  if (document.count === 0) return "the document is empty";
  return `the document has ${sizeOf(document)} and ${document.open ? "no" : "a"} newline at its end`;
}

function sizeOf(document: DocumentLines): string {
  return document.count === 1 ? "1 line" : `${document.count} lines`;
}

function closest(places: readonly number[], to: number): number {
  return places.reduce((best, place) => (Math.abs(place - to) < Math.abs(best - to) ? place : best));
}

function lineNumbers(places: readonly number[]): number[] {
  return places.slice(0, MOST_LISTED).map((place) => place + 1);
}

/** Returns line numbers as text, like `lines 3, 10 and 17`. */
function listed(places: readonly number[]): string {
  const numbers = places.slice(0, 5).map((place) => String(place + 1));
  if (numbers.length === 1) return `line ${numbers[0]}`;
  const last = places.length > 5 ? `${places.length - 5} more` : numbers.pop();
  return `lines ${numbers.join(", ")} and ${last}`;
}
