import { commonHead } from "../../text/diff/ends.ts";
import { likeness, signatureOf } from "../../text/diff/similar.ts";
import { withoutSpace } from "../../text/diff/space.ts";
import { lineBody, splitLines } from "../../text/lines.ts";
import { safeCut } from "../../text/positions.ts";
import type { Text } from "../../text/text.ts";

/** The most lines that a search compares: a hint is not worth more time. */
const MOST_LINES = 20_000;
/** The most characters of a line that a refusal quotes, and that a search compares. */
const MOST_QUOTED = 400;
/** A less similar line is no useful hint. */
const LEAST_LIKENESS = 0.35;
/** The most lines of the wanted text that a search looks up in the whole document, and the most places of each. */
const SOUGHT = 16;
const PLACES = 8;
/** The most text that is read to look up all these lines, in UTF-16 units; one line is looked up in any case. */
const MOST_READ = 16 << 20;
/** The beginning of a line that is looked up, in UTF-16 units. */
const LOOKED_UP = 200;
/** The most lines of the wanted text that are compared with a place, and the most places compared. */
const COMPARED = 200;
const CANDIDATES = 8;
/** The weight of a line that differs, however similar it is; an equal line has 1. */
const SIMILAR = 0.9;

/** The most characters of a line that a message shows, and of those before the first difference. */
const MOST_SHOWN = 160;
const QUOTED_BEFORE = 60;

/** The place in a document that is most similar to a wanted text. */
interface Nearest {
  /** The line (1-based) at which the wanted text would start, and the text of this line. */
  readonly line: number;
  readonly text: string;
  /** The first line that differs of several; undefined if they differ only in their line breaks. */
  readonly differs?: Difference;
}

/** The most similar place, and the part of a message that names it. */
export interface NearestHint {
  readonly nearest: Nearest;
  readonly where: string;
}

interface Difference {
  /** The line (1-based); past the last one at the document's end. */
  readonly line: number;
  readonly expected: string;
  /** The line of the document; undefined at its end. */
  readonly actual: string | undefined;
}

/** The lines of a wanted text, of which the first may begin and the last may end within a line of the document. */
interface Wanted {
  readonly lines: readonly string[];
  readonly endsWithin: boolean;
}

/** Returns the place most similar to a text that the document does not contain; undefined if no line is similar. */
export function nearestTo(text: Text, wanted: string): NearestHint | undefined {
  const similar = nearestLine(text, wanted);
  const several = nearestLines(text, wanted, similar?.line);
  if (several !== undefined) return { nearest: shortened(several), where: whereOf(several) };
  return (
    similar && {
      nearest: similar,
      where: `the most similar is line ${similar.line}: ${JSON.stringify(similar.text)}`,
    }
  );
}

/**
 * Returns the line (1-based) most similar to the first line of `wanted` that is not blank; undefined if no line is
 * similar.
 */
function nearestLine(text: Text, wanted: string): Nearest | undefined {
  const target = bodies(wanted).find((line) => line.trim() !== "");
  if (target === undefined) return undefined;
  const signature = signatureOf(target.toLowerCase());
  let best: { line: number; text: string; score: number } | undefined;
  for (const [i, whole] of linesOf(text, 1, MOST_LINES).entries()) {
    const line = whole.slice(0, MOST_QUOTED);
    const score = likeness(signature, signatureOf(line.toLowerCase()));
    if (score > (best?.score ?? LEAST_LIKENESS)) best = { line: i + 1, text: line, score };
  }
  return best && { line: best.line, text: best.text };
}

/**
 * Returns the place that is most similar to several lines; undefined if `wanted` is a single one, or no line is similar.
 * `similar` is the line most similar to the first that is not blank.
 */
function nearestLines(text: Text, wanted: string, similar: number | undefined): Nearest | undefined {
  const sought: Wanted = { lines: bodies(wanted), endsWithin: !wanted.endsWith("\n") };
  if (sought.lines.length < 2) return undefined;
  const starts = new Set(likelyStarts(text, sought.lines.slice(0, COMPARED)));
  const blank = sought.lines.findIndex((line) => line.trim() !== "");
  if (similar !== undefined && similar > blank) starts.add(similar - blank);
  let best: { start: number; score: number } | undefined;
  for (const start of starts) {
    const score = scoreAt(text, sought, start);
    const rank = best === undefined ? score : score - best.score || best.start - start;
    if (rank > 0) best = { start, score };
  }
  if (best === undefined) return undefined;
  const differs = firstDifference(text, sought, best.start);
  const line = linesOf(text, best.start, 1)[0] ?? "";
  return { line: best.start, text: line, ...(differs && { differs }) };
}

/** Returns the lines at which a text would start if its most telling lines were in place; the likeliest first. */
function likelyStarts(text: Text, sought: readonly string[]): number[] {
  const votes = new Map<number, number>();
  const telling = sought
    .map((line, i) => ({ line: line.trim(), i }))
    .filter(({ line }) => line !== "")
    .sort((a, b) => b.line.length - a.line.length)
    .slice(0, Math.max(1, Math.min(SOUGHT, Math.floor(MOST_READ / text.utf16))));
  for (const { line, i } of telling)
    for (const at of placesOf(text, line.slice(0, LOOKED_UP)))
      if (at > i) votes.set(at - i, (votes.get(at - i) ?? 0) + Math.min(line.length, SOUGHT));
  return [...votes]
    .sort(([a, one], [b, other]) => other - one || a - b)
    .slice(0, CANDIDATES)
    .map(([start]) => start);
}

/** Returns the lines (1-based) that contain a text; the first ones, if there are many. */
function placesOf(text: Text, line: string): number[] {
  const places: number[] = [];
  for (const at of text.matches(line)) if (places.push(text.lineAt(at)) >= PLACES) break;
  return places;
}

/** Returns how many of the first lines sought stand at a place; a similar line counts for a part. */
function scoreAt(text: Text, sought: Wanted, start: number): number {
  const count = Math.min(COMPARED, sought.lines.length);
  const there = linesOf(text, start, count);
  return there.reduce((sum, actual, i) => {
    if (fits(actual, sought, i)) return sum + 1;
    return sum + SIMILAR * likeness(signatureOf(sought.lines[i]!), signatureOf(actual));
  }, 0);
}

function firstDifference(text: Text, sought: Wanted, start: number): Difference | undefined {
  const there = linesOf(text, start, sought.lines.length);
  const at = sought.lines.findIndex((_, i) => there[i] === undefined || !fits(there[i], sought, i));
  return at < 0 ? undefined : { line: start + at, expected: sought.lines[at]!, actual: there[at] };
}

/** Returns true if a line of the document is what the line with that index of the wanted text expects. */
function fits(actual: string, { lines, endsWithin }: Wanted, index: number): boolean {
  const expected = lines[index]!;
  if (index === 0) return actual.endsWith(expected);
  return endsWithin && index === lines.length - 1 ? actual.startsWith(expected) : actual === expected;
}

/** Returns up to `count` lines from a line (1-based) on, as far as they exist, without their line breaks. */
function linesOf(text: Text, from: number, count: number): string[] {
  if (from > text.lines) return [];
  return bodies(text.lineSlice(from, Math.min(from + count - 1, text.lines)));
}

function bodies(text: string): string[] {
  return splitLines(text).map(lineBody);
}

/** Returns a place for the details of a refusal, with the beginnings of long lines. */
function shortened({ line, text, differs }: Nearest): Nearest {
  const short = (whole: string) => whole.slice(0, safeCut(whole, MOST_QUOTED));
  if (differs === undefined) return { line, text: short(text) };
  const { expected, actual } = differs;
  return {
    line,
    text: short(text),
    differs: { line: differs.line, expected: short(expected), actual: actual && short(actual) },
  };
}

/** Returns the part of a message that names the first difference of the most similar lines. */
function whereOf({ line, differs }: Nearest): string {
  if (differs === undefined) return `it is there from line ${line} on, but with other line breaks`;
  const { expected, actual } = differs;
  const [is, instead] = excerpts(actual ?? "", expected);
  const there = actual === undefined ? "is past the end" : `is ${is}`;
  const space = actual !== undefined && withoutSpace(actual) === withoutSpace(expected);
  return (
    `the most similar lines begin at line ${line}, but line ${differs.line} ${there} instead of ${instead}` +
    (space ? " (only white space differs)" : "")
  );
}

/** Returns both lines quoted; of long ones, the part around their first difference. */
function excerpts(...lines: [string, string]): [string, string] {
  const from = Math.max(0, commonHead(...lines) - QUOTED_BEFORE);
  const shown = (line: string) => {
    if (line.length <= MOST_SHOWN) return JSON.stringify(line);
    const start = safeCut(line, Math.min(from, line.length - MOST_SHOWN));
    const end = safeCut(line, start + MOST_SHOWN);
    return JSON.stringify(`${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`);
  };
  return [shown(lines[0]), shown(lines[1])];
}
