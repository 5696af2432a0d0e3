import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from "diff";
import { splitLines } from "../lines.ts";
import { diffLines } from "./diff.ts";
import type { Stretch } from "./stretch.ts";

export interface UnifiedOptions {
  /** The names in the headers, including `a/` and `b/` if wanted. Without both names there are no headers. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The number of unchanged lines around a change; `CONTEXT` by default. */
  readonly context?: number | undefined;
}

/** The default number of unchanged lines around a change. */
export const CONTEXT = 3;

/** Returns a unified diff of two texts, "" when they are equal. Lines end at `\n` only; a `\r` before it is text. */
export function unifiedDiff(base: string, updated: string, options: UnifiedOptions): string {
  if (base === updated) return "";
  const a = splitLines(base);
  const b = splitLines(updated);
  const context = options.context ?? CONTEXT;
  const hunks = clusters(diffLines(a, b), 2 * context).map((changes) => toHunk(a, b, changes, context));
  const { from, to } = options;
  const names = {
    oldFileName: from ?? "",
    newFileName: to ?? "",
    oldHeader: undefined,
    newHeader: undefined,
  };
  const headers = from === undefined || to === undefined ? OMIT_HEADERS : FILE_HEADERS_ONLY;
  return formatPatch({ ...names, hunks }, headers);
}

/** Groups changes: a new group starts where more than `gap` unchanged lines lie between two changes. */
export function clusters(changes: readonly Stretch[], gap: number): Stretch[][] {
  const out: Stretch[][] = [];
  for (const change of changes) {
    const last = out.at(-1)?.at(-1);
    if (last !== undefined && change.a0 - last.a1 <= gap) out.at(-1)!.push(change);
    else out.push([change]);
  }
  return out;
}

function toHunk(
  a: readonly string[],
  b: readonly string[],
  changes: readonly Stretch[],
  context: number,
): StructuredPatchHunk {
  const first = changes[0]!;
  const last = changes.at(-1)!;
  const before = Math.min(context, first.a0);
  const after = Math.min(context, a.length - last.a1);
  const lines: string[] = [];
  const addLines = (sign: string, from: readonly string[], start: number, end: number) => {
    for (let i = start; i < end; i++) lines.push(...signedLine(sign, from[i]!));
  };
  let at = first.a0 - before;
  for (const { a0, a1, b0, b1 } of changes) {
    addLines(" ", a, at, a0);
    addLines("-", a, a0, a1);
    addLines("+", b, b0, b1);
    at = a1;
  }
  addLines(" ", a, at, last.a1 + after);
  return {
    oldStart: first.a0 - before + 1,
    oldLines: last.a1 + after - first.a0 + before,
    newStart: first.b0 - before + 1,
    newLines: last.b1 + after - first.b0 + before,
    lines,
  };
}

function signedLine(sign: string, line: string): string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}
