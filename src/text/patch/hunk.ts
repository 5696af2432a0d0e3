import { fileNames } from "./file-header.ts";
import { headerText } from "./header-line.ts";
import {
  goesOn,
  type HunkBody,
  type HunkLine,
  isSignature,
  lineCountsOf,
  readCounted,
  readShaped,
} from "./hunk-body.ts";
import { headerOf, type Numbers, readHeader } from "./hunk-header.ts";
import { type Match, type PatchFailure, type PatchReason, quote } from "./patch-failure.ts";

export type { HunkLine } from "./hunk-body.ts";

/**
 * A parsed hunk. Its counts are the numbers of its lines; its starts are the header's, 0 in a header without numbers.
 */
export interface Hunk extends Numbers {
  readonly header: string;
  readonly lines: readonly HunkLine[];
  /**
   * Set when the header has no numbers: the names of lines above the hunk. The hunk is placed by its lines alone,
   * after them.
   */
  readonly anchors?: readonly string[];
  /** Set when the hunk's last line is the document's last (`*** End of File`). */
  readonly atEnd?: true;
  /** Set when the header announces more lines than the patch has, so the end may be cut off. */
  readonly short?: true;
}

/** The conditions for reading a hunk. */
interface HunkReading {
  /** The hunk's number in the patch, from 1. */
  readonly number: number;
  readonly match: Match;
  /** True when a line after the last one, such as a closing fence, proves that the patch is complete. */
  readonly closed: boolean;
}

/** A problem with its place, a 0-based line of the patch. */
interface Problem {
  readonly reason: PatchReason;
  readonly at: number;
  readonly text: string;
}

type Read = { readonly hunk: Hunk; readonly end: number };

/** Reads the hunk whose header is `lines[at]`. */
export function readHunk(lines: readonly string[], at: number, reading: HunkReading): Read | PatchFailure {
  const header = headerText(lines[at]!);
  const read = readHeader(header);
  if (read.kind === "bare") return readBare(lines, at, reading);
  if (read.kind === "invalid")
    return failure(reading, { reason: "invalid_header", at, text: `${quote(header)} ${read.problem}` });
  const { numbers } = read;
  const counted = readCounted(lines, at + 1, numbers.oldCount, numbers.newCount);
  const counts = lineCountsOf(counted.lines);
  if (isSame(counts, numbers) && !goesOn(lines, counted.end))
    return finish(lines, at, reading, counted, { header, ...numbers });
  return readMiscounted(lines, at, reading, numbers);
}

/** Reads the lines from `at` on as a hunk without a header, or under headers without numbers. */
export function readBare(lines: readonly string[], at: number, reading: HunkReading): Read | PatchFailure {
  const anchors: string[] = [];
  let start = at;
  for (; start < lines.length; start++) {
    const read = readHeader(headerText(lines[start]!));
    // `@@ class A` above `@@ def f():` names the class in which to search for it.
    if (read.kind !== "bare" || (start > at && anchors.length === 0)) break;
    if (read.anchor !== undefined) anchors.push(read.anchor);
  }
  const body = readShaped(lines, start);
  const stray = strayLine(lines, body.end);
  if (stray !== undefined) return failure(reading, stray);
  const header = start === at ? "@@" : headerText(lines[start - 1]!);
  const numbers = { oldStart: 0, newStart: 0, ...lineCountsOf(body.lines) };
  return finish(lines, at, reading, body, { header, ...numbers, anchors });
}

/**
 * Reads a hunk whose lines do not match the counts in its header. It uses the actual counts, unless lines may be
 * missing.
 */
function readMiscounted(
  lines: readonly string[],
  at: number,
  reading: HunkReading,
  numbers: Numbers,
): Read | PatchFailure {
  const header = headerText(lines[at]!);
  const body = readShaped(lines, at + 1);
  const { oldCount, newCount } = lineCountsOf(body.lines);
  const mismatch = `the header announces ${numbers.oldCount} old and ${numbers.newCount} new lines, the body has ${oldCount} and ${newCount}`;
  const stray = strayLine(lines, body.end);
  if (stray !== undefined) return failure(reading, { ...stray, text: `${stray.text}, and ${mismatch}` });
  const right = { ...numbers, oldCount, newCount };
  const cut = body.end === lines.length && !reading.closed;
  const short = cut && oldCount <= numbers.oldCount && newCount <= numbers.newCount;
  if (short && (reading.match === "strict" || body.lines.at(-1)?.kind !== "context")) {
    const text = `${mismatch}; if nothing was cut off, it should read ${quote(headerOf(right))}`;
    return failure(reading, { reason: "unexpected_eof", at, text });
  }
  if (oldCount === 0 && numbers.oldCount > 0) {
    const text = `${mismatch}, so its place is unknown; include lines around the new ones, or insert after line N with "@@ -N,0 +M,${newCount} @@"`;
    return failure(reading, { reason: "invalid_header", at, text });
  }
  const oldStart = oldCount > 0 ? Math.max(1, numbers.oldStart) : numbers.oldStart;
  return finish(lines, at, reading, body, { header, ...right, oldStart, ...(short && { short }) });
}

function finish(
  lines: readonly string[],
  at: number,
  reading: HunkReading,
  body: HunkBody,
  hunk: Omit<Hunk, "lines">,
): Read | PatchFailure {
  const problem = lineProblem(body.lines, at);
  if (problem !== undefined) return failure(reading, problem);
  const atEnd = headerText(lines[body.end] ?? "") === "*** End of File";
  return {
    hunk: { ...hunk, lines: body.lines, ...(atEnd && { atEnd }) },
    end: atEnd ? body.end + 1 : body.end,
  };
}

function failure({ number }: HunkReading, { reason, at, text }: Problem): PatchFailure {
  return {
    reason,
    hunk: number,
    line: at + 1,
    message: `Hunk ${number}, line ${at + 1} of the patch: ${text}.`,
  };
}

/** Returns a problem when the line after a body neither belongs to it nor may follow it. */
function strayLine(lines: readonly string[], at: number): Problem | undefined {
  const line = lines[at];
  if (line === undefined || fileNames(lines, at) !== undefined || isSignature(lines, at)) return undefined;
  if (/^(?:@@|diff --git |\*\*\* )/.test(headerText(line))) return undefined;
  const text = `${quote(line)} does not start with " ", "-" or "+" as a line of a hunk does`;
  return { reason: "invalid_header", at, text };
}

function lineProblem(body: readonly HunkLine[], at: number): Problem | undefined {
  if (body.every((line) => line.kind === "context"))
    return { reason: "empty_hunk", at, text: 'the hunk changes nothing, no line starts with "-" or "+"' };
  const ended = { old: false, now: false };
  for (const line of body) {
    if ((ended.old && line.kind !== "insert") || (ended.now && line.kind !== "delete")) {
      const text = `${quote(line.text)} comes after a line that is marked as the last of the file`;
      return { reason: "range_mismatch", at, text };
    }
    if (line.noNewline && line.kind !== "insert") ended.old = true;
    if (line.noNewline && line.kind !== "delete") ended.now = true;
  }
  return undefined;
}

function isSame(a: Pick<Numbers, "oldCount" | "newCount">, b: Numbers): boolean {
  return a.oldCount === b.oldCount && a.newCount === b.newCount;
}
