import { headerText } from "./header-line.ts";
import { isPatchFailure, type PatchFailure, quote, refusedAt } from "./patch-failure.ts";

/** A patch's lines under their numbers in the source. A removed line is blank, or cut off at the end. */
interface PatchLines {
  readonly lines: readonly string[];
  /** True when a closing fence proves that the patch was not cut off. */
  readonly closed: boolean;
}

/** Matches a line at or before which the patch has begun. */
const START = /^[ \t]*(?:@@|\*\*\* (?:Begin Patch|Update File:))/;
const OPENING = /^([ \t]*)(`{3,}|~{3,})[^`]*$/;
const BLANK = /^[ \t]*\r?$/;
/** Matches a line that may belong to a diff or open another fenced block. */
const DIFF_LIKE = /^(?:[-+ \\]|@@|\*\*\*|diff |`{3}|~{3})/;

/**
 * Removes text that models put around a patch: a code fence with the prose around it, and uniform indentation. It also
 * repairs a last line without the `\r` of all others. It refuses lines that may or may not belong to the patch. Inside
 * a hunk it removes only the indentation that all lines share.
 */
export function patchLines(source: string): PatchLines | PatchFailure {
  const lines = source.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else closeLast(lines);
  const first = lines.findIndex((line) => START.test(headerText(line)));
  if (first < 0) return { lines, closed: false };
  const block = fencedBlock(lines, first);
  if (block !== undefined && isPatchFailure(block)) return block;
  const inside = block === undefined ? lines : lines.slice(0, block.to).fill("", 0, block.from);
  const dedented = withoutIndent(inside, first);
  return Array.isArray(dedented) ? { lines: dedented, closed: block !== undefined } : dedented;
}

/** Adds the missing `\r` to the last line of a patch whose other lines all end in CRLF. */
function closeLast(lines: string[]): void {
  const last = lines.pop()!;
  const wrapped = lines.length > 0 && lines.every((line) => line.endsWith("\r"));
  lines.push(wrapped ? `${last}\r` : last);
}

/** Returns the lines (half-open) inside the fence around line `first`; undefined when no fence encloses it. */
function fencedBlock(
  lines: readonly string[],
  first: number,
): { readonly from: number; readonly to: number } | PatchFailure | undefined {
  for (let i = 0; i < first; i++) {
    const [, indent, marks] = OPENING.exec(headerText(lines[i]!)) ?? [];
    if (indent === undefined || marks === undefined) continue;
    const to = closing(lines, i, indent, marks);
    if (to === undefined)
      return refusedAt(
        "unexpected_eof",
        i,
        `the fence ${quote(marks)} is never closed, so the patch may have been cut off; send it whole, without fences.`,
      );
    if (to < first) {
      i = to;
      continue;
    }
    const behind = lines.findIndex((line, at) => at > to && !BLANK.test(line) && DIFF_LIKE.test(line));
    if (behind < 0) return { from: i + 1, to };
    return refusedAt(
      "invalid_header",
      behind,
      `${quote(lines[behind]!)} comes after the closing fence; send the patch alone, without fences.`,
    );
  }
  return undefined;
}

function closing(lines: readonly string[], at: number, indent: string, marks: string): number | undefined {
  for (let i = at + 1; i < lines.length; i++) {
    const line = lines[i]!;
    if (!line.startsWith(indent + marks)) continue;
    const rest = line.slice(indent.length).trimEnd();
    if (rest === marks[0]!.repeat(rest.length)) return i;
  }
  return undefined;
}

/** Removes the indentation of line `first` from every line, starting with the headers above it. */
function withoutIndent(lines: readonly string[], first: number): string[] | PatchFailure {
  const indent = /^[ \t]*/.exec(headerText(lines[first]!))![0];
  if (indent === "") return [...lines];
  const within = (line: string) => line.startsWith(indent) || BLANK.test(line);
  let top = first;
  while (top > 0 && within(lines[top - 1]!)) top--;
  const out = lines.slice(0, top).fill("");
  for (const line of lines.slice(top)) {
    if (!within(line))
      return refusedAt(
        "invalid_header",
        out.length,
        `${quote(line)} is not indented as the lines above it are; hunk headers must start with "@@" at the beginning of the line.`,
      );
    out.push(line.startsWith(indent) ? line.slice(indent.length) : line.endsWith("\r") ? "\r" : "");
  }
  return out;
}
