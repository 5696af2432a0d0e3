import { fileNames } from "./file-header.ts";
import { type PatchFailure, type PatchReason, quote } from "./patch-failure.ts";

export interface HunkLine {
  readonly kind: "context" | "delete" | "insert";
  /** As it stands in the patch, without its line ending; nothing is cleaned. */
  readonly text: string;
  /** The line is marked `\ No newline at end of file`. */
  readonly noNewline?: true;
}

/** Numbers are the header's: 1-based lines, or the line ahead of the place where a count is 0. */
export interface Hunk {
  readonly header: string;
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  readonly lines: readonly HunkLine[];
}

type Numbers = Omit<Hunk, "header" | "lines">;

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: |$)/;
const MAX_LINE = 2 ** 31;

/** What is wrong, with the place in the patch (0-based). */
interface Problem {
  readonly reason: PatchReason;
  readonly at: number;
  readonly text: string;
}

/**
 * Reads the hunk whose header is `lines[at]`; `number` is its own, from 1. The body is read by the header's
 * counts, so that a deleted `-- x`, which shows as `--- x`, is never taken for a file header.
 */
export function readHunk(
  lines: readonly string[],
  at: number,
  number: number,
): { readonly hunk: Hunk; readonly end: number } | PatchFailure {
  const header = lines[at]!.replace(/\r$/, "");
  const numbers = readNumbers(header);
  const body = typeof numbers === "string" ? undefined : readBody(lines, at + 1, numbers);
  if (typeof numbers !== "string" && body !== undefined) {
    const problem = countProblem(lines, at, body, numbers) ?? lineProblem(body.lines, at);
    if (problem === undefined) return { hunk: { header, ...numbers, lines: body.lines }, end: body.end };
    return failure(number, problem);
  }
  return failure(number, {
    reason: "invalid_header",
    at,
    text: `${quote(header)} ${numbers}`,
  });
}

function failure(hunk: number, { reason, at, text }: Problem): PatchFailure {
  return {
    reason,
    hunk,
    line: at + 1,
    message: `Hunk ${hunk}, line ${at + 1} of the patch: ${text}.`,
  };
}

function readNumbers(header: string): Numbers | string {
  const match = HEADER.exec(header);
  if (match === null) return 'is not a hunk header; it must read like "@@ -10,3 +10,4 @@"';
  const number = (i: number) => Number(match[i] ?? 1);
  const numbers = { oldStart: number(1), oldCount: number(2), newStart: number(3), newCount: number(4) };
  const { oldStart, oldCount, newStart, newCount } = numbers;
  if (oldStart + oldCount > MAX_LINE || newStart + newCount > MAX_LINE)
    return "has numbers that are too large";
  if ((oldStart === 0 && oldCount > 0) || (newStart === 0 && newCount > 0))
    return "cannot start at line 0, lines count from 1";
  return numbers;
}

/** Reads as many lines as the header promises, as far as they are there and fit. */
function readBody(
  lines: readonly string[],
  start: number,
  { oldCount, newCount }: Numbers,
): { readonly lines: HunkLine[]; readonly end: number } {
  const body: HunkLine[] = [];
  let old = oldCount;
  let now = newCount;
  let i = start;
  for (; i < lines.length; i++) {
    const line = lines[i]!;
    const last = body.at(-1);
    if (isMarker(line) && last !== undefined) {
      body[body.length - 1] = { ...last, noNewline: true };
      continue;
    }
    const kind = kindOf(line);
    if (kind === undefined || (old === 0 && now === 0)) break;
    if ((kind !== "insert" && old === 0) || (kind !== "delete" && now === 0)) break;
    if (kind !== "insert") old--;
    if (kind !== "delete") now--;
    body.push({ kind, text: line === "\r" ? line : line.slice(1) });
  }
  return { lines: body, end: i };
}

/** Compares the header's counts with the body, which may be shorter, or go on behind what was read. */
function countProblem(
  lines: readonly string[],
  at: number,
  body: { readonly lines: readonly HunkLine[]; readonly end: number },
  { oldStart, oldCount, newStart, newCount }: Numbers,
): Problem | undefined {
  let old = body.lines.filter((line) => line.kind !== "insert").length;
  let now = body.lines.filter((line) => line.kind !== "delete").length;
  const complete = old === oldCount && now === newCount;
  if (complete && !goesOn(lines, body.end)) return undefined;
  for (let i = body.end; goesOn(lines, i); i++) {
    if (kindOf(lines[i]!) !== "insert") old++;
    if (kindOf(lines[i]!) !== "delete") now++;
  }
  const counts = `the header says ${oldCount} old and ${newCount} new lines, the body has ${old} and ${now}`;
  const right = `"@@ -${oldStart},${old} +${newStart},${now} @@"`;
  const next = lines[body.end];
  if (complete || (next !== undefined && (kindOf(next) !== undefined || next.startsWith("@@"))))
    return {
      reason: "invalid_header",
      at,
      text: `${counts}; it should read ${right}`,
    };
  if (next === undefined)
    return {
      reason: "unexpected_eof",
      at,
      text: `${counts}; if nothing was cut off, it should read ${right}`,
    };
  const text = `${quote(next)} does not start with " ", "-" or "+" as a line of a hunk does, and ${counts}`;
  return { reason: "invalid_header", at: body.end, text };
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

/** True when a line behind a complete body looks like one more of its lines. */
function goesOn(lines: readonly string[], i: number): boolean {
  const line = lines[i];
  if (line === undefined || kindOf(line) === undefined || line.trim() === "") return false;
  return fileNames(lines, i) === undefined && !isSignature(lines, i);
}

/** The `-- ` with which mailed patches close, above the version of git. */
export function isSignature(lines: readonly string[], i: number): boolean {
  return /^-- \r?$/.test(lines[i]!) && i >= lines.length - 3;
}

function isMarker(line: string): boolean {
  return line.startsWith("\\");
}

/** An empty line stands for an empty context line, whose blank many tools strip. */
function kindOf(line: string): HunkLine["kind"] | undefined {
  if (line.startsWith("-")) return "delete";
  if (line.startsWith("+")) return "insert";
  return line === "" || line === "\r" || line.startsWith(" ") ? "context" : undefined;
}
