import { fileNames } from "./file-header.ts";
import { headerText } from "./header-line.ts";

export interface HunkLine {
  readonly kind: "context" | "delete" | "insert";
  /** The line's text as in the patch, without its line ending and its first character; nothing else is removed. */
  readonly text: string;
  /** Set when the line is marked `\ No newline at end of file`. */
  readonly noNewline?: true;
}

/** The lines of a hunk, and the index of the first patch line after them. */
export interface HunkBody {
  readonly lines: readonly HunkLine[];
  readonly end: number;
}

/**
 * Reads at most as many lines as the header announces, as far as they exist and fit. A deleted `-- x`, which reads
 * `--- x` in the patch, therefore never counts as a file header.
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
 * Reads lines while they look like a hunk body, for a hunk whose counts are missing or wrong. It ends at another
 * hunk's header, at the headers of a file with its hunk, or at a mail signature. Empty lines at the end do not belong
 * to the body.
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
  accepts: (kind: HunkLine["kind"], at: number) => boolean,
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
    if (kind === undefined || !accepts(kind, i)) break;
    body.push({ kind, text: line === "\r" ? line : line.slice(1) });
  }
  return { lines: body, end: i };
}

/** Returns the number of lines of a body on each side. */
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
 * Returns true when the lines after a complete body look like more of its lines. After blank lines, only a line that
 * the document must also contain counts: inserted lines may be a list in the text that follows.
 */
export function goesOn(lines: readonly string[], start: number): boolean {
  let i = start;
  while (lines[i]?.trim() === "") i++;
  const kind = lines[i] === undefined ? undefined : lineKindOf(lines[i]!);
  if (kind === undefined || (i > start && kind === "insert")) return false;
  return fileNames(lines, i) === undefined && !isSignature(lines, i);
}

/** Returns true at the `-- ` that ends a mailed patch, above the version of git. */
export function isSignature(lines: readonly string[], i: number): boolean {
  return /^-- \r?$/.test(lines[i]!) && i >= lines.length - 3;
}

/** Returns the kind of a hunk line. An empty line is an empty context line, because many tools strip its blank. */
export function lineKindOf(line: string): HunkLine["kind"] | undefined {
  if (line.startsWith("-")) return "delete";
  if (line.startsWith("+")) return "insert";
  return isEmpty(line) || line.startsWith(" ") ? "context" : undefined;
}

/** Returns true at a signature with a version below it. Without counts, `-- ` alone might delete a line. */
function isVersionedSignature(lines: readonly string[], i: number): boolean {
  return isSignature(lines, i) && /^\d+\.\d/.test(lines[i + 1] ?? "");
}

/**
 * Returns true at `--- a/x` and `+++ b/x` above a hunk header. Elsewhere those lines delete `-- a/x` and insert `++
 * b/x`.
 */
export function startsFile(lines: readonly string[], i: number): boolean {
  return fileNames(lines, i) !== undefined && headerText(lines[i + 2] ?? "").startsWith("@@");
}

/**
 * Returns true for a "\ No newline" marker in any language; a context line that lost its blank, as `\begin`, is no
 * marker.
 */
function isMarker(line: string): boolean {
  return line.startsWith("\\ ");
}

function isEmpty(line: string): boolean {
  return line === "" || line === "\r";
}
