import { describe, expect, test } from "vitest";
import { hunkSplices, numberedDiff } from "../../src/text/diff/numbered.ts";
import { Text } from "../../src/text/text.ts";

const BASE = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
const UPDATED = BASE.with(1, "LINE 2\n").with(14, "").with(28, "line\u2028@@ 29\n");
const [base, updated] = [BASE.join(""), UPDATED.join("")];

describe("a numbered diff", () => {
  test("[PO6] has its hunks in order, each with its text in the diff", () => {
    const { diff, hunks } = numberedDiff(base, updated, { from: "a", to: "b" });
    expect(hunks.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(diff.endsWith(hunks.map((hunk) => hunk.diff).join(""))).toBe(true);
    expect(hunks.every((hunk) => hunk.diff.startsWith("@@ "))).toBe(true);
    expect(numberedDiff(base, base, { from: "a", to: "b" })).toEqual({ diff: "", hunks: [] });
  });

  test("[PO6] has the same effect hunk by hunk as in one piece", () => {
    const hunks = hunkSplices(base, updated);
    expect(hunks).toHaveLength(3);
    expect(Text.of(base).splice(hunks.flat()).toString()).toBe(updated);
    expect(Text.of(base).splice(hunks[1]!).toString()).toBe(BASE.with(14, "").join(""));
  });
});
