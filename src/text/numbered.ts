import { diffLines } from "./diff.ts";
import { lineOffsets, splitLines } from "./lines.ts";
import { diffAt } from "./merge.ts";
import type { Splice } from "./splice.ts";
import { CONTEXT, clusters, type UnifiedOptions, unifiedDiff } from "./unified.ts";

/** One hunk of a diff as it is shown, from its `@@` line on; numbers count from 1. */
export interface NumberedHunk {
  readonly number: number;
  readonly diff: string;
}

/** The unified diff of two texts and its hunks; none where the texts are equal. */
export function numberedDiff(
  base: string,
  updated: string,
  options: UnifiedOptions,
): { readonly diff: string; readonly hunks: readonly NumberedHunk[] } {
  const diff = unifiedDiff(base, updated, options);
  // A hunk's own lines begin with another sign.
  const shown = diff.split(/(?<=\n)(?=@@ )/).slice(1);
  return { diff, hunks: shown.map((hunk, i) => ({ number: i + 1, diff: hunk })) };
}

/** What each hunk of `numberedDiff` does, in code points of `base`; together they make the updated text. */
export function hunkSplices(base: string, updated: string, context = CONTEXT): Splice[][] {
  const a = splitLines(base);
  const b = splitLines(updated);
  const offsets = lineOffsets([...a, ""]);
  return clusters(diffLines(a, b), 2 * context).map((changes) =>
    changes.flatMap(({ a0, a1, b0, b1 }) =>
      diffAt(offsets[a0]!, a.slice(a0, a1).join(""), b.slice(b0, b1).join("")),
    ),
  );
}
