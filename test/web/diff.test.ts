import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../src/text/diff/unified.ts";
import {
  countDiff,
  type DiffLine,
  hasSeveralChanges,
  parseDiff,
  rangeText,
} from "../../src/web/parts/changes/diff-lines.ts";
import { wordMarks } from "../../src/web/parts/changes/diff-words.ts";

/** A diff's lines as `-3 old text`, by the number of the side that they are on. */
function told(diff: string): string[] {
  const signs = { same: " ", removed: "-", added: "+" };
  return linesOf(diff).map(
    ({ kind, text, old, now, unended }) => `${signs[kind]}${now ?? old} ${text}${unended ? "¬" : ""}`,
  );
}

function linesOf(diff: string): DiffLine[] {
  return parseDiff(diff).flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines));
}

/** The lines that differ, what is marked in them in brackets. */
function marked(before: string, after: string): string[] {
  const lines = linesOf(unifiedDiff(before, after, {}));
  const marks = wordMarks(lines);
  return lines
    .filter(({ kind }) => kind !== "same")
    .map((line) => {
      let out = line.text;
      for (const { from, to } of [...(marks.get(line) ?? [])].reverse())
        out = `${out.slice(0, from)}[${out.slice(from, to)}]${out.slice(to)}`;
      return out;
    });
}

describe("the view of a diff", () => {
  test("[WP30] has the line numbers of both texts", () => {
    const before = "a\nb\nc\nd\n";
    expect(told(unifiedDiff(before, "a\nB\nc\nc2\nd\n", {}))).toEqual([
      " 1 a",
      "-2 b",
      "+2 B",
      " 3 c",
      "+4 c2",
      " 5 d",
    ]);
    expect(told(unifiedDiff("", "new\n", {}))).toEqual(["+1 new"]);
    expect(told(unifiedDiff("old\n", "", {}))).toEqual(["-1 old"]);
  });

  test("[WP30] reads lines in a hunk that look like headers as text", () => {
    const before = "-- a\n@@ -1 +1 @@\nx\n";
    const diff = unifiedDiff(before, "++ a\nx\n", { from: "a/t.md", to: "b/t.md" });
    expect(told(diff)).toEqual(
      ["--1 -- a", "-2 @@ -1 +1 @@", "++1 ++ a", " 2 x"].map((line) =>
        line.replace(/^(--|\+\+)/, (s) => s[0]!),
      ),
    );
    expect(parseDiff(diff).map(({ path }) => path)).toEqual(["t.md"]);
  });

  test("[WP30] marks a text that ends without a line break", () => {
    expect(told(unifiedDiff("a", "a\nb", {}))).toEqual(["-1 a¬", "+1 a", "+2 b¬"]);
  });

  test("[WP30] separates the files of a diff", () => {
    const one = unifiedDiff("a\n", "b\n", { from: "a/one.md", to: "b/one.md" });
    const made = unifiedDiff("", "c\n", { from: "/dev/null", to: "b/x y.md" });
    const files = parseDiff(`# a note\n${one}${made}`);
    expect(files.map(({ path, hunks }) => [path, hunks.length])).toEqual([
      ["one.md", 1],
      ["x y.md", 1],
    ]);
    expect(countDiff(files)).toEqual({ added: 2, removed: 1 });
    expect(parseDiff("")).toEqual([]);
  });

  test("[WP30, WP152] names the lines of a hunk, and knows whether it has several changes", () => {
    const hunksOf = (before: string, after: string) => parseDiff(unifiedDiff(before, after, {}))[0]!.hunks;
    const [hunk] = hunksOf("a\nb\nc\nd\n", "a\nB\nc\nD\n");
    expect([rangeText(hunk!), hasSeveralChanges(hunk!)]).toEqual(["Lines 1–4", true]);
    const [one] = hunksOf("a\nb\nc\n", "a\nB\nC\n");
    expect([rangeText(one!), hasSeveralChanges(one!)]).toEqual(["Lines 1–3", false]);
    expect(hunksOf("a\nb\n", "").map(rangeText)).toEqual(["Lines 1–2"]);
    expect(hunksOf("", "a\n").map(rangeText)).toEqual(["Line 1"]);
  });

  test("[WP31] marks the changed words of lines that are versions of each other", () => {
    expect(marked("The quick fox jumps\n", "The slow fox jumps high\n")).toEqual([
      "The [quick] fox jumps",
      "The [slow] fox jumps[ high]",
    ]);
    expect(marked("const a = one(1);\nkeep\n", "const a = one(2);\nkeep\n")).toEqual([
      "const a = one([1]);",
      "const a = one([2]);",
    ]);
  });

  test("[WP31] finds the new version of a line among its neighbours", () => {
    const after = "An introduction that is new.\nThe quick red fox jumps over it.\n";
    expect(marked("The quick fox jumps over it.\n", after)).toEqual([
      "The quick fox jumps over it.",
      "An introduction that is new.",
      "The quick [red ]fox jumps over it.",
    ]);
  });

  test("[WP72] marks nothing in very long lines or in lines with little in common", () => {
    expect(marked("all of this goes\n", "and 12345 comes\n")).toEqual([
      "all of this goes",
      "and 12345 comes",
    ]);
    const long = "word ".repeat(1_000);
    expect(marked(`${long}a\n`, `${long}b\n`)).toEqual([`${long}a`, `${long}b`]);
  });
});
