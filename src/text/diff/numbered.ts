import { lineOffsets, splitLines } from "../lines.ts";
import type { Splice } from "../splice.ts";
import { diffAt, diffLines } from "./diff.ts";
import { CONTEXT, clusters, type UnifiedOptions, unifiedDiff } from "./unified.ts";

/** One hunk of a diff as text, from its `@@` line on; numbers start at 1. */
export interface NumberedHunk {
  readonly number: number;
  readonly diff: string;
}

/** Returns the unified diff of two texts and its hunks; no hunks when the texts are equal. */
export function numberedDiff(
  base: string,
  updated: string,
  options: UnifiedOptions,
): { readonly diff: string; readonly hunks: readonly NumberedHunk[] } {
  const diff = unifiedDiff(base, updated, options);
  // Lines inside a hunk start with another sign.
  const hunks = diff.split(/(?<=\n)(?=@@ )/).slice(1);
  return { diff, hunks: hunks.map((hunk, i) => ({ number: i + 1, diff: hunk })) };
}

/**
 * Returns the splices of each hunk of `numberedDiff`, in code points of `base`. All of them together give the updated
 * text.
 */
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
