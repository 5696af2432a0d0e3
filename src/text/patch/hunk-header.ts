/** The numbers of a hunk header: 1-based lines, or the line before the place where a count is 0. */
export interface Numbers {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/**
 * A parsed header: one with numbers; one without, which may name a line above its hunk; or an invalid one with its
 * problem.
 */
type HunkHeader =
  | { readonly kind: "numbered"; readonly numbers: Numbers }
  | { readonly kind: "bare"; readonly anchor: string | undefined }
  | { readonly kind: "invalid"; readonly problem: string };

const NUMBERED = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: |$)/;
/** Matches `@@`, `@@ … @@` and `@@ def name():`, but nothing that looks like an attempt at numbers. */
const BARE = /^@@(?:[ \t]+(?![-+]? ?\d|-\S*[ \t]+\+\S*[ \t]*(?:@@|$)).*)?$/;
const MAX_LINE = 2 ** 31;

export function readHeader(header: string): HunkHeader {
  const match = NUMBERED.exec(header);
  if (match === null)
    return BARE.test(header)
      ? { kind: "bare", anchor: anchorOf(header) }
      : { kind: "invalid", problem: 'is not a hunk header; it must read like "@@ -10,3 +10,4 @@"' };
  const number = (i: number) => Number(match[i] ?? 1);
  const numbers = { oldStart: number(1), oldCount: number(2), newStart: number(3), newCount: number(4) };
  const { oldStart, oldCount, newStart, newCount } = numbers;
  if (oldStart + oldCount > MAX_LINE || newStart + newCount > MAX_LINE)
    return { kind: "invalid", problem: "has numbers that are too large" };
  if ((oldStart === 0 && oldCount > 0) || (newStart === 0 && newCount > 0))
    return { kind: "invalid", problem: "starts at line 0, but line numbers start at 1" };
  return { kind: "numbered", numbers };
}

/** Returns the header of the numbers, like `@@ -10,3 +10,4 @@`. */
export function headerOf({ oldStart, oldCount, newStart, newCount }: Numbers): string {
  return `@@ -${oldStart},${oldCount} +${newStart},${newCount} @@`;
}

function anchorOf(header: string): string | undefined {
  const text = header
    .slice(2)
    .replace(/[ \t]@@[ \t]*$/, "")
    .trim();
  return /[\p{L}\p{N}]/u.test(text) ? text : undefined;
}
