import { describe, expect, test } from "vitest";
import { numberedDiff } from "../../src/text/diff/numbered.ts";
import type { ProposalEntry } from "../../src/web/state/proposals/proposal-types.ts";
import { proposedLines } from "../../src/web/views/document/proposed-lines.ts";
import { groupByPath } from "../../src/web/views/proposals/groups.ts";
import { hunkNames } from "../../src/web/views/proposals/hunk-choice.ts";
import { pendingText } from "../../src/web/views/proposals/pending-text.ts";

const LINES = Array.from({ length: 40 }, (_, i) => `line ${i}`);

/** Returns the names of the hunks of a diff that changes these lines, below `above`. */
function names(loud: readonly number[], above = ""): string[] {
  const now = LINES.map((line, i) => (loud.includes(i) ? "LOUD" : line));
  const texts = [LINES, now].map((lines) => `${above}${lines.join("\n")}\n`);
  return hunkNames(numberedDiff(texts[0]!, texts[1]!, {}).hunks);
}

describe("reviews", () => {
  test("[WP115] the lines that a proposal would change are those of the present text", () => {
    const linesOf = (before: string, after: string) => {
      const { diff } = numberedDiff(before, after, {});
      const proposal = { id: "p", author: "ann", diff, path: "a.md" } as ProposalEntry;
      return proposedLines(proposal, "a.md").map(({ first, last }) => [first, last]);
    };
    expect(linesOf("a\nb\nc\nd\n", "a\nB\nC\nd\n")).toEqual([[2, 3]]);
    expect(linesOf("a\nb\nc\nd\n", "A\nb\nc\nD\n")).toEqual([
      [1, 1],
      [4, 4],
    ]);
    expect(linesOf("a\nb\n", "a\nnew\nb\n")).toEqual([[1, 0]]);
    expect(linesOf("a\n", "new\na\n")).toEqual([[1, 0]]);
  });

  test("[WP34] a choice among hunks stays valid when the document changes", () => {
    expect(names([1, 20], "new line\n")).toEqual(names([1, 20]));
    expect(names([20])).toEqual(names([1, 20]).slice(1));
  });

  test("[WP33] equal hunks have different names", () => {
    const same = ["@@ -1 +1 @@\n-a\n+b\n", "@@ -9 +9 @@\n-a\n+b\n"].map((diff, i) => ({
      number: i + 1,
      diff,
    }));
    const [first, second] = hunkNames(same);
    expect(first).not.toBe(second);
  });

  test("[WP32] proposals are grouped by document, the one with the newest first", () => {
    const listed = ["b.md", "a.md", "b.md"].map((path, i) => ({ path, id: `${i}` })) as ProposalEntry[];
    expect(
      groupByPath(listed).map(({ paths: [path], proposals }) => [path, proposals.map(({ id }) => id)]),
    ).toEqual([
      ["b.md", ["0", "2"]],
      ["a.md", ["1"]],
    ]);
  });

  test("[WP32] the number of reviews is shown as words", () => {
    expect(pendingText(1, 0)).toBe("1 proposal to review");
    expect(pendingText(2, 1)).toBe("2 proposals and 1 edit to review");
  });
});
