import { describe, expect, test } from "vitest";
import { placePatch } from "../../src/text/patch/locate.ts";
import { isPatchFailure, type PatchFailure, parsePatch } from "../../src/text/patch/patch.ts";
import { Text } from "../../src/text/text.ts";
import { spliceString } from "./language.ts";

const BASE = "one\ntwo\nthree\nfour\nfive\n";
const DONE = "one\n2\nthree\nfour\nfive\n";
const HUNK = ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"];
const NAMED = ["--- a/n.md", "+++ b/n.md", ...HUNK];

/** Returns the text after a patch, or the reason of its refusal. */
function outcome(base: string, lines: readonly string[], eol = "\n"): string | PatchFailure {
  const patch = parsePatch(lines.join(eol) + eol);
  const placement = isPatchFailure(patch) ? patch : placePatch(Text.of(base), patch);
  return isPatchFailure(placement) ? placement : spliceString(base, placement.splices);
}

const applies = (...lines: string[]) => expect(outcome(BASE, lines)).toBe(DONE);
const refuses = (reason: string, ...lines: string[]) =>
  expect(outcome(BASE, lines)).toMatchObject({ reason });
const indented = (by: string, lines: readonly string[]) =>
  lines.map((line) => (line === "" ? "" : by + line));

describe("fences", () => {
  test("[PA14] a fence is removed with the prose around it", () => {
    applies("```diff", ...NAMED, "```");
    applies("Here is the change:", "", "~~~~", ...HUNK, "~~~~", "", "It makes two a digit.");
    applies("The code is:", "```js", "let x;", "```", "and the patch", "```", ...HUNK, "```");
    applies("  ```", ...indented("  ", HUNK), "  ```");
  });

  test("[PA39] a fence that is never closed is refused, because its end may be cut off", () =>
    refuses("unexpected_eof", "```diff", ...HUNK));

  test("[PA40] lines after the fence that could belong to the diff are refused", () => {
    refuses("invalid_header", "```diff", ...HUNK, "```", "```diff", ...HUNK, "```");
    // A context line "```" that lost its blank closes the fence too early.
    refuses("invalid_header", "```", "@@ -1,9 +1,9 @@", " one", "-two", "+2", "```", " three", "```");
    refuses("invalid_header", ...HUNK, "```");
  });

  test("[PA14] fences in the lines of a hunk stay", () => {
    const md = "```js\nlet a\n```\n";
    const hunk = ["@@ -1,3 +1,4 @@", " ```js", "-let a", "+let b", " ```", "+~~~"];
    expect(outcome(md, ["```diff", ...hunk, "```"])).toBe("```js\nlet b\n```\n~~~\n");
  });
});

describe("indentation", () => {
  for (const by of ["    ", "\t", " ", " \t "])
    test(`[PA15] ${JSON.stringify(by)} before every line is removed`, () => {
      applies(...indented(by, NAMED));
      applies("As asked:", "", ...indented(by, HUNK));
      const blank = indented(by, ["@@ -1,3 +1,3 @@", " a", "", "-b", "+c"]);
      expect(outcome("a\n\nb\n", blank)).toBe("a\n\nc\n");
    });

  test("[PA41] indentation that not all lines have is refused", () => {
    refuses("invalid_header", "    @@ -1,3 +1,3 @@", "     one", "   -two", "    +2", "     three");
    refuses("invalid_header", "  @@ -1,3 +1,3 @@", ...HUNK.slice(1));
  });
});

test("[PA16] a patch in CRLF reads as one in LF, even if its last line has no ending", () => {
  expect(outcome(BASE, NAMED, "\r\n")).toBe(DONE);
  const open = parsePatch(["@@ -1,2 +1,3 @@", " one", " two", "+2"].join("\r\n"));
  expect(open).toMatchObject({ hunks: [{ lines: [{ text: "one" }, { text: "two" }, { text: "2" }] }] });
});

describe("an invisible character", () => {
  test("[PA17] is removed from header lines", () => {
    applies("\ufeff--- a/n.md", "+++ b/n.md\u200b", ...HUNK);
    applies("---\u00a0a/n.md", "+++\u00a0b/n.md", "@@\u00a0-1,3\u00a0+1,3\u00a0@@", ...HUNK.slice(1));
    applies("\ufeff@@ -1,3 +1,3 @@\u2060", ...HUNK.slice(1));
    applies("\u200b```diff", ...HUNK, "```");
    applies("\u200b*** Begin Patch", "*** Update File: n.md\u200b", "@@", ...HUNK.slice(1), "*** End Patch");
  });

  test("[PA58] stays in a file name if it is a joiner", () => {
    const name = "\u{1f469}\u200d\u{1f4bb}/می\u200cخواهم.md";
    expect(parsePatch([`--- a/${name}`, `+++ b/${name}`, ...HUNK].join("\n"))).toMatchObject({
      from: `a/${name}`,
    });
  });

  for (const text of [
    "\u{1f469}\u200d\u{1f4bb}",
    "क्\u200dष",
    "می\u200cخواهم",
    "\ufeffa\u00a0b\u200b",
    "a\fb\u0085c\u2028d",
  ])
    test(`[PA42] stays in a hunk: ${JSON.stringify(text)}`, () => {
      const hunk = ["```", `@@ -1,2 +1,2 @@`, ` ${text}`, "-x", `+${text}!`, "```"];
      expect(outcome(`${text}\nx\n`, hunk)).toBe(`${text}\n${text}!\n`);
    });
});

describe("headers without numbers", () => {
  const twice = "def a():\n  x\n  y\ndef b():\n  x\n  y\n";
  const body = ["   x", "-  y", "+  z"];

  test("[PA18] the hunk lands at its only place", () => {
    applies("@@", ...HUNK.slice(1));
    applies("@@ ... @@", ...HUNK.slice(1));
    applies("@@ somewhere near the top @@", ...HUNK.slice(1));
    applies("@@ one", ...HUNK.slice(1));
    expect(outcome("", ["@@", "+a"])).toBe("a\n");
  });

  test("[PA43] several places are ambiguous, unless the header names a line between them", () => {
    expect(outcome(twice, ["@@", ...body])).toMatchObject({
      reason: "context_ambiguous",
      candidates: [2, 5],
    });
    expect(outcome(twice, ["@@ def b():", ...body])).toBe(twice.replace(/y\n$/, "z\n"));
    expect(outcome(twice, ["@@ def a():", "@@ def b():", ...body])).toBe(twice.replace(/y\n$/, "z\n"));
    expect(outcome(twice, ["@@ def a():", ...body])).toMatchObject({ reason: "context_ambiguous" });
  });

  test("[PA59] lines before the line that the header names do not match", () => {
    expect(outcome("x\ny\ndef b():\nz\n", ["@@ def b():", " x", "-y", "+Y"])).toMatchObject({
      reason: "context_mismatch",
      candidates: [1],
    });
  });

  test("[PA18] such hunks must be in the order of the document, also among numbered hunks", () => {
    expect(outcome(BASE, ["@@", "-one", "+1", "@@ -3 +3 @@", "-three", "+3", "@@", "-five", "+5"])).toBe(
      "1\ntwo\n3\nfour\n5\n",
    );
    expect(outcome(BASE, ["@@", "-three", "+3", "@@", "-one", "+1"])).toMatchObject({
      reason: "range_overlap",
      hunk: 2,
    });
  });

  test("[PA44] inserted lines without context are refused", () =>
    refuses("context_ambiguous", "@@", "+lost"));

  test("[PA18] the refusal of missing lines gives the most similar lines", () => {
    expect(outcome(BASE, ["@@", " one", "-tow", "+2", " three"])).toMatchObject({
      reason: "context_mismatch",
      line: 2,
      nearest: { line: 1, text: ["one", "two", "three"] },
    });
    expect(outcome(DONE, ["@@", ...HUNK.slice(1)])).toMatchObject({ reason: "already_applied", line: 1 });
    expect(outcome(BASE, ["@@", "-nothing like it", "+2"])).toMatchObject({ reason: "context_mismatch" });
  });
});

describe("the apply_patch form", () => {
  const within = (...lines: string[]) => [
    "*** Begin Patch",
    "*** Update File: n.md",
    ...lines,
    "*** End Patch",
  ];

  test("[PA19] its hunks are placed by their lines", () => {
    applies(...within("@@", ...HUNK.slice(1)));
    applies(...within(...HUNK.slice(1)));
    applies(...within("@@ one", "-two", "+2", " three"));
    applies(...within(...HUNK));
    applies(...within("--- a/n.md", "+++ b/n.md", ...HUNK));
    applies("```", ...within("@@", ...HUNK.slice(1)), "```");
    expect(outcome(BASE, within("@@", "-one", "+1", "@@", "-five", "+5"))).toBe("1\ntwo\nthree\nfour\n5\n");
  });

  test("[PA19] the mark of the file's end restricts a hunk to that end", () => {
    const twice = "a\nb\na\n";
    expect(outcome(twice, within("@@", "-a", "+c", "*** End of File"))).toBe("a\nb\nc\n");
    expect(outcome(twice, within("@@", " b", "-a", "+c"))).toBe("a\nb\nc\n");
    expect(outcome("a\nb\n", within("@@", "-a", "+c", "*** End of File"))).toMatchObject({
      reason: "context_mismatch",
    });
  });

  test("[PA45] several files are refused, and so is creating, deleting or moving one", () => {
    refuses("multiple_files", ...within("@@", ...HUNK.slice(1), "*** Update File: m.md", "@@", "-a", "+b"));
    refuses("multiple_files", ...within("@@", ...HUNK.slice(1), "*** Add File: m.md", "+b"));
    refuses("invalid_header", "*** Begin Patch", "*** Add File: n.md", "+b", "*** End Patch");
    refuses("invalid_header", "*** Begin Patch", "*** Delete File: n.md", "*** End Patch");
    refuses("invalid_header", ...within("*** Move to: m.md", "@@", ...HUNK.slice(1)));
  });

  test("[PA46] a patch without its end line is refused, because it may be cut off", () => {
    refuses("unexpected_eof", ...within("@@", ...HUNK.slice(1)).slice(0, -1));
    refuses("invalid_header", ...HUNK, "*** End Patch");
  });
});

test("[PA21] once a file is named, no line is ignored", () => {
  refuses("invalid_header", "--- a/n.md", "+++ b/n.md", "-two", "+2", "@@ -5 +5 @@", "-five", "+5");
  refuses("invalid_header", "*** Begin Patch", "-two", "+2", "@@", "-five", "+5", "*** End Patch");
  refuses("invalid_header", ...NAMED, "and so on");
});
