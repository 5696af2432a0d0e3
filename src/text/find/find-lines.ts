import { Needle } from "../needle.ts";
import { type Finder, type PatternFailure, regexFinder } from "./regex.ts";

/** A text or a regex to search for. It is plain data, so that another thread can use it. */
export interface LineQuery {
  readonly query: string;
  /** True for an RE2 regex; `^` and `$` match at lines. */
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

/** A line with a match. Line numbers count from 1. */
export interface FoundLine {
  readonly line: number;
  readonly text: string;
  /** The lines before and after, as many as there are and as were wanted. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface FoundLines {
  readonly found: readonly FoundLine[];
  /** True when there may be more matches after the last one. */
  readonly more: boolean;
}

export interface LineOptions {
  /** The number of lines to show before and after each match. */
  readonly context: number;
  /** Only lines after this one; 0 for all. */
  readonly afterLine: number;
  readonly most: number;
}

/** Finds lines of a text. @throws Exhausted when a regex needs too many steps in it */
export type LineFinder = (text: string, options: LineOptions) => FoundLines;

/** Returns a finder for a query, or why the regex cannot be used. */
export function lineFinder({ query, regex, ignoreCase }: LineQuery): LineFinder | PatternFailure {
  if (regex) {
    const finder = regexFinder(query, ignoreCase);
    return "failed" in finder ? finder : (text, options) => findLines(text, text, finder(text), options);
  }
  const needle = new Needle(ignoreCase ? query.toLowerCase() : query);
  return (text, options) => {
    const searched = ignoreCase ? text.toLowerCase() : text;
    return findLines(text, searched, (from) => needle.indexIn(searched, from), options);
  };
}

/** Finds lines of `text` by places in `searched`, which has the same lines. */
function findLines(
  text: string,
  searched: string,
  find: Finder,
  { context, afterLine, most }: LineOptions,
): FoundLines {
  const found: FoundLine[] = [];
  let lines: readonly string[] | undefined;
  let line = 1;
  let counted = 0;
  for (let from = 0; from <= searched.length; ) {
    const at = find(from);
    // The end of a text with a final line break is no line.
    if (at < 0 || (at === searched.length && at > 0 && searched[at - 1] === "\n")) break;
    for (let next = searched.indexOf("\n", counted); next >= 0 && next < at; ) {
      line++;
      counted = next + 1;
      next = searched.indexOf("\n", counted);
    }
    if (line > afterLine) {
      if (found.length === most) return { found, more: true };
      lines ??= text.split("\n").map(shown);
      found.push({
        line,
        text: lines[line - 1]!,
        before: lines.slice(Math.max(0, line - 1 - context), line - 1),
        after: lines.slice(line, Math.min(line + context, lastLine(lines))),
      });
    }
    const end = searched.indexOf("\n", at);
    if (end < 0) break;
    from = end + 1;
  }
  return { found, more: false };
}

/** Returns the number of lines without the empty rest after a final line break. */
function lastLine(lines: readonly string[]): number {
  return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

/** The most UTF-16 units of a line that an answer shows. */
const MOST_SHOWN = 500;

/** Returns a line without its carriage return; a long one is cut. */
function shown(line: string): string {
  const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
  return whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN).toWellFormed()}…` : whole;
}
