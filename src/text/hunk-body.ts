import { fileNames } from "./file-header.ts";
import { headerText } from "./header-line.ts";

export interface HunkLine {
  readonly kind: "context" | "delete" | "insert";
  /** As it stands in the patch, without its line ending; nothing is cleaned. */
  readonly text: string;
  /** The line is marked `\ No newline at end of file`. */
  readonly noNewline?: true;
}

/** Lines of a hunk, and the index of the patch's line behind them. */
export interface HunkBody {
  readonly lines: readonly HunkLine[];
  readonly end: number;
}

/**
 * Reads as many lines as the header promises, as far as they are there and fit, so that a deleted `-- x`,
 * which shows as `--- x`, is never taken for a file header.
 */
export function readCounted(
  lines: readonly string[],
  start: number,
  oldCount: number,
  newCount: number,
): HunkBody {
  let old = oldCount;
  let now = newCount;
  return read(lines, start, (kind) => {
    if (old === 0 && now === 0) return false;
    if ((kind !== "insert" && old === 0) || (kind !== "delete" && now === 0)) return false;
    if (kind !== "insert") old--;
    if (kind !== "delete") now--;
    return true;
  });
}

/**
 * Reads lines as long as they look like a body's, where no counts can be trusted: up to another hunk's header,
 * the headers of a file with its hunk, or the closing of a mail. Empty lines at the end are not the body's.
 */
export function readShaped(lines: readonly string[], start: number): HunkBody {
  const body = read(lines, start, (_kind, i) => !startsFile(lines, i) && !isVersionedSignature(lines, i));
  let end = body.end;
  while (end > start && isEmpty(lines[end - 1]!)) end--;
  return { lines: body.lines.slice(0, body.lines.length - (body.end - end)), end: body.end };
}

function read(
  lines: readonly string[],
  start: number,
  takes: (kind: HunkLine["kind"], at: number) => boolean,
): HunkBody {
  const body: HunkLine[] = [];
  let i = start;
  for (; i < lines.length; i++) {
    const line = lines[i]!;
    const last = body.at(-1);
    if (isMarker(line) && last !== undefined) {
      body[body.length - 1] = { ...last, noNewline: true };
      continue;
    }
    const kind = lineKindOf(line);
    if (kind === undefined || !takes(kind, i)) break;
    body.push({ kind, text: line === "\r" ? line : line.slice(1) });
  }
  return { lines: body, end: i };
}

/** How many lines a body has on each side. */
export function lineCountsOf(body: readonly HunkLine[]): {
  readonly oldCount: number;
  readonly newCount: number;
} {
  let oldCount = 0;
  let newCount = 0;
  for (const { kind } of body) {
    if (kind !== "insert") oldCount++;
    if (kind !== "delete") newCount++;
  }
  return { oldCount, newCount };
}

/**
 * True when what comes behind a complete body looks like more of its lines. Behind blank lines only what the
 * document must have, too, is taken for that: inserted lines may be a list that follows.
 */
export function goesOn(lines: readonly string[], start: number): boolean {
  let i = start;
  while (lines[i]?.trim() === "") i++;
  const kind = lines[i] === undefined ? undefined : lineKindOf(lines[i]!);
  if (kind === undefined || (i > start && kind === "insert")) return false;
  return fileNames(lines, i) === undefined && !isSignature(lines, i);
}

/** The `-- ` with which mailed patches close, above the version of git. */
export function isSignature(lines: readonly string[], i: number): boolean {
  return /^-- \r?$/.test(lines[i]!) && i >= lines.length - 3;
}

/** An empty line stands for an empty context line, whose blank many tools strip. */
export function lineKindOf(line: string): HunkLine["kind"] | undefined {
  if (line.startsWith("-")) return "delete";
  if (line.startsWith("+")) return "insert";
  return isEmpty(line) || line.startsWith(" ") ? "context" : undefined;
}

/** Without counts `-- ` may as well delete a line; the version below it tells. */
function isVersionedSignature(lines: readonly string[], i: number): boolean {
  return isSignature(lines, i) && /^\d+\.\d/.test(lines[i + 1] ?? "");
}

/** `--- a/x` and `+++ b/x` above a hunk; without one they are a deleted `-- a/x` and an inserted `++ b/x`. */
export function startsFile(lines: readonly string[], i: number): boolean {
  return fileNames(lines, i) !== undefined && headerText(lines[i + 2] ?? "").startsWith("@@");
}

/** Whatever language it is in; a context line that lost its blank, as `\begin`, is none. */
function isMarker(line: string): boolean {
  return line.startsWith("\\ ");
}

function isEmpty(line: string): boolean {
  return line === "" || line === "\r";
}
