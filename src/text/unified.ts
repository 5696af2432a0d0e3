import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from "diff";
import { diffLines } from "./diff.ts";
import { splitLines } from "./lines.ts";
import type { Stretch } from "./stretch.ts";

export interface UnifiedOptions {
  /** The names in the headers, `a/` and `b/` included if they are wanted; without both there are no headers. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Unchanged lines shown around a change; CONTEXT unless told. */
  readonly context?: number | undefined;
}

/** Unchanged lines shown around a change, unless told. */
export const CONTEXT = 3;

/** A unified diff of two texts, "" when they are equal. Lines end at `\n` only; a `\r` ahead of it is text. */
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

/** Changes in lists, wherever more than `gap` unchanged lines lie between them a new one. */
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
  const show = (sign: string, from: readonly string[], start: number, end: number) => {
    for (let i = start; i < end; i++) lines.push(...shown(sign, from[i]!));
  };
  let at = first.a0 - before;
  for (const { a0, a1, b0, b1 } of changes) {
    show(" ", a, at, a0);
    show("-", a, a0, a1);
    show("+", b, b0, b1);
    at = a1;
  }
  show(" ", a, at, last.a1 + after);
  return {
    oldStart: first.a0 - before + 1,
    oldLines: last.a1 + after - first.a0 + before,
    newStart: first.b0 - before + 1,
    newLines: last.b1 + after - first.b0 + before,
    lines,
  };
}

function shown(sign: string, line: string): string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}
