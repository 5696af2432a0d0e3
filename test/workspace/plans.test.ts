import { describe, expect, test } from "vitest";
import { MOST_SPLICES, type Occurrence } from "../../src/text/find/occurrence.ts";
import { eolOf } from "../../src/text/lines.ts";
import { Text } from "../../src/text/text.ts";
import { Refusal } from "../../src/workspace/outcome/refusal.ts";
import { type LineChange, planLines } from "../../src/workspace/planners/lines.ts";
import { planPatch } from "../../src/workspace/planners/patch.ts";
import type { Planner } from "../../src/workspace/planners/plan.ts";
import { planReplaceRegex } from "../../src/workspace/planners/regex.ts";
import { planReplace } from "../../src/workspace/planners/replace.ts";
import { planSplice } from "../../src/workspace/planners/splice.ts";

/** Returns the text after a plan, or the code and message of its refusal. */
function plan(planner: Planner, base: string): string {
  const text = Text.of(base);
  const planned = planner({ text, eol: eolOf(text), maxBytes: 1 << 24 });
  if (planned instanceof Refusal) return `${planned.code}: ${planned.message}`;
  return text.splice(planned.splices).toString();
}

describe("replace", () => {
  const cases: [
    name: string,
    base: string,
    old: string,
    updated: string,
    occurrence: Occurrence,
    result: string,
  ][] = [
    ["one match", "a b c", "b", "B", "unique", "a B c"],
    ["no match", "abc", "x", "y", "unique", "NO_MATCH: the document does not contain the old text"],
    [
      "several, unique asked",
      "a\na\n",
      "a",
      "b",
      "unique",
      "AMBIGUOUS_MATCH: the text occurs 2 times, at lines 1, 2",
    ],
    ["several, the first asked", "a a a", "a", "b", "first", "b a a"],
    ["several, all asked", "a a a", "a", "b", "all", "b b b"],
    ["several, the second asked", "a a a", "a", "b", 2, "a b a"],
    ["past the last", "a a", "a", "b", 3, "NO_MATCH: there is no match number 3; the text occurs 2 times"],
    ["all of touching matches", "aaaa", "aa", "b", "all", "bb"],
    ["with astral characters", "x\u{1f600}y\u{1f600}", "y\u{1f600}", "z", "unique", "x\u{1f600}z"],
    ["lines of a CRLF text", "a\r\nb\r\n", "a\nb", "1\n2\n3", "unique", "1\r\n2\r\n3\r\n"],
  ];
  for (const [name, base, old, updated, occurrence, result] of cases)
    test(`[RP1, RP9] ${name}`, () => expect(plan(planReplace(old, updated, occurrence), base)).toBe(result));

  const marked: [name: string, base: string, old: string, updated: string, result: string][] = [
    ["that only old has", "one two\n", "\ufeffone", "1", "1 two\n"],
    ["that both have", "one two\n", "\ufeffone", "\ufeff1", "1 two\n"],
    ["that the text has", "a\ufeffone\n", "\ufeffone", "1", "a1\n"],
    ["of a text that is elsewhere", "two one\n", "\ufeffone", "1", "NO_MATCH"],
    ["alone", "one\n", "\ufeff", "1", "NO_MATCH"],
  ];
  for (const [name, base, old, updated, result] of marked)
    test(`[RP12] a byte order mark ${name}`, () =>
      expect(plan(planReplace(old, updated, "unique"), base)).toMatch(new RegExp(`^${result}`)));

  test("[RP13] says how many matches there are, and which number to send", () => {
    const refused = planReplace("a", "b", 3)({ text: Text.of("a a"), eol: "none", maxBytes: 1 << 24 });
    expect(refused).toMatchObject({ suggestion: "Send a number from 1 to 2, or another text in `old`." });
  });

  test("[RP2] names the nearest line, and says when the edit is there already", () => {
    expect(plan(planReplace("const total = 1;", "x", "unique"), "let a;\nconst totals = 10;\n")).toContain(
      "the most similar is line 2",
    );
    expect(plan(planReplace("Monday", "Tuesday", "unique"), "on Tuesday")).toContain("applied already");
  });

  const CODE = "function foo() {\n  return 1;\n}\n";
  const hints: [name: string, base: string, old: string, hint: string][] = [
    [
      "a line that differs",
      CODE,
      "function foo() {\n  return 2;\n}",
      'the most similar lines begin at line 1, but line 2 is "  return 1;" instead of "  return 2;"',
    ],
    [
      "lines that several places have, of which one has the most",
      `${CODE}${CODE.replace("1", "7").replace("foo", "bar")}${CODE}`,
      "function bar() {\n  return 8;\n}\n",
      'line 4, but line 5 is "  return 7;" instead of "  return 8;"',
    ],
    [
      "a missing blank line",
      "one thing\n\ntwo things\n",
      "one thing\ntwo things",
      'line 2 is "" instead of "two things"',
    ],
    [
      "a tab for blanks",
      "if (x) {\n\treturn;\n}\n",
      "if (x) {\n    return;\n}",
      'line 2 is "\\treturn;" instead of "    return;" (only white space differs)',
    ],
    [
      "the document's end",
      "first line\nsecond line",
      "second line\nthird line",
      'line 3 is past the end instead of "third line"',
    ],
    [
      "other line breaks",
      "one\r\ntwo\nthree\n",
      "one\ntwo\nthree",
      "from line 1 on, but with other line breaks",
    ],
    [
      "a place within its lines",
      "let a = [first,\n  second,\n  third];\n",
      "first,\n  2nd,\n  third",
      'line 1, but line 2 is "  second," instead of "  2nd,"',
    ],
    [
      "a line far down in a long document",
      `${"filler\n".repeat(50_000)}the start\nthe middle\nthe end\n`,
      "the start\nthe muddle\nthe end\n",
      'line 50001, but line 50002 is "the middle" instead of "the muddle"',
    ],
    [
      "the difference of long lines",
      `head\n${"x".repeat(5000)}ONE${"y".repeat(5000)}\ntail\n`,
      `head\n${"x".repeat(5000)}TWO${"y".repeat(5000)}\ntail\n`,
      `is "…${"x".repeat(60)}ONE${"y".repeat(97)}…" instead of "…${"x".repeat(60)}TWO`,
    ],
  ];
  for (const [name, base, old, hint] of hints)
    test(`[RP10] of several lines that are not there names ${name}`, () =>
      expect(plan(planReplace(old, "x", "unique"), base)).toContain(hint));

  test("[RP10] of several long lines has details of a bounded length", () => {
    const old = `head ${"h".repeat(5000)}\n${"x".repeat(5000)}TWO\n`;
    const refused = planReplace(
      old,
      "x",
      "unique",
    )({
      text: Text.of(old.replace("TWO", "ONE")),
      eol: "lf",
      maxBytes: 1 << 24,
    }) as Refusal;
    expect(refused.details["nearest"]).toMatchObject({ line: 1, differs: { line: 2 } });
    expect(JSON.stringify(refused.details).length).toBeLessThan(1500);
    expect(refused.message.length).toBeLessThan(600);
  });

  test("[RP10] of several lines gives the first difference in its details", () => {
    const refused = planReplace(
      "function foo() {\n  return 2;\n}",
      "x",
      "unique",
    )({
      text: Text.of(CODE),
      eol: "lf",
      maxBytes: 1 << 24,
    });
    expect(refused).toMatchObject({
      details: {
        alreadyApplied: false,
        nearest: {
          line: 1,
          text: "function foo() {",
          differs: { line: 2, expected: "  return 2;", actual: "  return 1;" },
        },
      },
    });
  });

  const applied: [name: string, base: string, old: string, updated: string, message: string, is: boolean][] =
    [
      [
        "stands where the old one would",
        CODE,
        "  return 0;",
        "  return 1;",
        "line 2 contains the new text",
        true,
      ],
      [
        "stands around the first difference",
        "a line\nnew line\nb line\n",
        "a line\nb line",
        "a line\nnew line\nb line",
        "seems to be applied already",
        true,
      ],
      [
        "stands elsewhere",
        "2 a\nTwo b\n",
        "two a",
        "2 a",
        "another place, line 1, contains the new text",
        false,
      ],
      [
        "is a line beside the first difference",
        "same line\nother\n",
        "same line\nothers",
        "same line\n",
        "another place, line 1,",
        false,
      ],
    ];
  for (const [name, base, old, updated, message, is] of applied)
    test(`[RP11] says the same in message and details when the new text ${name}`, () => {
      const refused = planReplace(
        old,
        updated,
        "unique",
      )({ text: Text.of(base), eol: "lf", maxBytes: 1 << 24 });
      expect(refused).toMatchObject({
        message: expect.stringContaining(message),
        details: { alreadyApplied: is },
      });
    });

  test("[RP3] touches only the characters that differ", () => {
    const text = Text.of("call(one, two)");
    const planned = planReplace("one, two", "one, 2", "unique")({ text, eol: "none", maxBytes: 1 << 24 });
    expect(planned).toMatchObject({ splices: [{ from: 10, to: 13, insert: "2" }] });
  });

  test("[RP4] by regex fills in groups and runs in linear time", () => {
    expect(plan(planReplaceRegex("(\\w+)@(\\w+)", "$2 at $1 $& $$", "all"), "me@home you@work")).toBe(
      "home at me me@home $ work at you you@work $",
    );
    expect(plan(planReplaceRegex("^b", "B", "all"), "a\nb\nb")).toBe("a\nB\nB");
    expect(plan(planReplaceRegex("(?P<n>\\d)", "<$<n>>", "all"), "\u{1f600}1")).toBe("\u{1f600}<1>");
    expect(plan(planReplaceRegex("(a+)+$", "x", "first"), `${"a".repeat(5000)}!`)).toContain("NO_MATCH");
    expect(plan(planReplaceRegex("(", "x", "first"), "a")).toContain(
      "INVALID_ARGUMENT: `old` is no valid regex",
    );
    expect(plan(planReplaceRegex("a", "$<n>", "first"), "a")).toContain(
      "INVALID_ARGUMENT: `new` contains $<n>",
    );
  });

  test("[RP5] of very many matches makes few splices, with the same result", () => {
    const base = "a\u{1f600}b".repeat(12_000);
    const text = Text.of(base);
    const planned = planReplace("a\u{1f600}", "$&", "all")({ text, eol: "none", maxBytes: 1 << 24 });
    if (planned instanceof Refusal) throw new Error(planned.message);
    expect(planned.splices.length).toBeLessThanOrEqual(MOST_SPLICES);
    expect(text.splice(planned.splices).toString()).toBe("$&b".repeat(12_000));
  });

  test("[RP8] of more than a million matches is refused, and counts no further for the n-th", () => {
    const base = "a".repeat(1_000_001);
    const refused = "TOO_LARGE: the text occurs more than 1000000 times";
    expect(plan(planReplace("a", "b", "all"), base)).toBe(refused);
    expect(plan(planReplace("a", "b", 99_999_999), base)).toBe(refused);
  });

  test("[RP6] that multiplies text is refused before or while it is made", () => {
    const refused = "TOO_LARGE: the new text alone would have more than 16777216 bytes";
    for (const planner of [planReplace, planReplaceRegex])
      expect(plan(planner("a", "x".repeat(100_000), "all"), "a".repeat(50_000))).toBe(refused);
  });

  test("[RX1, RX2] by a regex that is too large for its text is refused with what to do", () => {
    expect(plan(planReplaceRegex("(?:a?){500}a{500}", "x", "all"), "a".repeat(1 << 20))).toBe(
      "TOO_LARGE: this regex needs too many steps on this document",
    );
    expect(plan(planReplaceRegex("(a|b)".repeat(1_000_000), "x", "all"), "a")).toContain(
      "the limit is 10000",
    );
    expect(plan(planReplaceRegex("(a|b){999}", "x", "all"), "a")).toContain("more than 2000 instructions");
  });
});

describe("splice", () => {
  test("[SP1] counts in the unit asked for, never inside a character", () => {
    const splice = (from: number, to: number, unit: "utf-8" | "utf-16" | "utf-32") =>
      plan(planSplice([{ from, to, insert: "-" }], unit), "a\u{1f600}b");
    expect(splice(1, 2, "utf-32")).toBe("a-b");
    expect(splice(1, 3, "utf-16")).toBe("a-b");
    expect(splice(1, 5, "utf-8")).toBe("a-b");
    expect(splice(1, 2, "utf-16")).toContain("INVALID_POSITION");
    expect(splice(2, 3, "utf-8")).toContain("INVALID_POSITION");
  });

  for (const position of [Number.NaN, 0.5, -1, 2 ** 32, 2 ** 53, Number.POSITIVE_INFINITY])
    test(`[SP2] position ${position} is refused`, () => {
      expect(plan(planSplice([{ from: 0, to: position, insert: "x" }], "utf-32"), "abc")).toContain(
        "INVALID_POSITION",
      );
    });

  test("[SP3] overlapping splices and lone surrogates are refused", () => {
    const overlapping = [
      { from: 0, to: 2, insert: "" },
      { from: 1, to: 3, insert: "" },
    ];
    expect(plan(planSplice(overlapping, "utf-32"), "abc")).toContain("INVALID_POSITION");
    expect(plan(planSplice([{ from: 0, to: 0, insert: "\ud800" }], "utf-32"), "abc")).toContain(
      "INVALID_ARGUMENT",
    );
  });
});

describe("lines", () => {
  const insert = (afterLine: number, ...newLines: string[]): LineChange => ({
    operation: "insert",
    afterLine,
    newLines,
  });
  const replace = (
    startLine: number,
    expectedOriginalLines: string[],
    ...newLines: string[]
  ): LineChange => ({
    operation: "replace",
    startLine,
    endLine: startLine + expectedOriginalLines.length - 1,
    expectedOriginalLines,
    newLines,
  });
  const remove = (startLine: number, ...expectedOriginalLines: string[]): LineChange => ({
    operation: "delete",
    startLine,
    endLine: startLine + expectedOriginalLines.length - 1,
    expectedOriginalLines,
  });
  const cases: [name: string, base: string, changes: LineChange[], result: string][] = [
    ["insert at the top", "a\nb\n", [insert(0, "x")], "x\na\nb\n"],
    ["insert in the middle", "a\nb\n", [insert(1, "x", "y")], "a\nx\ny\nb\n"],
    ["insert at the end", "a\nb\n", [insert(2, "x")], "a\nb\nx\n"],
    ["insert after a last line without a newline", "a\nb", [insert(2, "x")], "a\nb\nx"],
    ["insert into an empty text", "", [insert(0, "x", "y")], "x\ny\n"],
    ["insert after the one line of an empty text", "", [insert(1, "x", "y")], "x\ny\n"],
    ["replace the one line of an empty text", "", [replace(1, [""], "x", "y")], "x\ny"],
    ["delete the one line of an empty text", "", [remove(1, "")], ""],
    ["replace a range", "a\nb\nc\n", [replace(1, ["a", "b"], "1")], "1\nc\n"],
    ["replace a last line without a newline", "a\nb", [replace(2, ["b"], "1", "2")], "a\n1\n2"],
    ["delete a range", "a\nb\nc\n", [remove(1, "a", "b")], "c\n"],
    ["delete a last line without a newline", "a\nb", [remove(2, "b")], "a"],
    ["delete everything", "a\nb\n", [remove(1, "a", "b")], ""],
    [
      "several, top to bottom",
      "a\nb\nc\n",
      [replace(1, ["a"], "A"), insert(2, "x"), remove(3, "c")],
      "A\nb\nx\n",
    ],
    [
      "an insert at a replaced range's edges",
      "a\nb\n",
      [insert(0, "x"), replace(1, ["a"], "A"), insert(1, "y")],
      "x\nA\ny\nb\n",
    ],
    ["CRLF stays", "a\r\nb\r\n", [insert(1, "x"), replace(2, ["b"], "1", "2")], "a\r\nx\r\n1\r\n2\r\n"],
    ["a wrong original line", "a\nb\n", [replace(2, ["x"], "y")], 'NO_MATCH: line 2 is "b", not "x"'],
    [
      "past the end",
      "a\n",
      [remove(2, "b")],
      "INVALID_POSITION: change 0: lines 2-2 extend past the last line (1)",
    ],
    [
      "an insert past the end",
      "a\n",
      [insert(2, "b")],
      "INVALID_POSITION: change 0: afterLine 2 is past the last line (1)",
    ],
    [
      "an inverted range",
      "a\nb\n",
      [{ operation: "delete", startLine: 2, endLine: 1, expectedOriginalLines: [] }],
      "INVALID_ARGUMENT: change 0: startLine 2 is after endLine 1",
    ],
    [
      "out of order",
      "a\nb\n",
      [remove(2, "b"), remove(1, "a")],
      "INVALID_ARGUMENT: change 1 overlaps or precedes the change before it",
    ],
    [
      "an insert inside a replaced range",
      "a\nb\n",
      [replace(1, ["a", "b"], "x"), insert(1, "y")],
      "INVALID_ARGUMENT: change 1 overlaps or precedes the change before it",
    ],
    [
      "a line break inside a line",
      "a\n",
      [insert(0, "x\ny")],
      "INVALID_ARGUMENT: change 0: an entry of newLines contains a line break; send one line per entry",
    ],
  ];
  for (const [name, base, changes, result] of cases)
    test(`[LN1, LN2, LN3, LN4] ${name}`, () => expect(plan(planLines(changes), base)).toBe(result));

  // As a program sends lines that splits a text with CRLF at \n.
  const returned: [name: string, base: string, changes: LineChange[], result: string][] = [
    ["of expected lines", "a\r\nb\r\n", [remove(1, "a\r"), replace(2, ["b\r"], "B")], "B\r\n"],
    ["of new lines", "a\r\n", [insert(0, "x\r", "\r"), insert(1, "y\r")], "x\r\n\r\na\r\ny\r\n"],
    ["of lines before an open end", "a\r\nb", [replace(2, ["b"], "x\r", "y")], "a\r\nx\r\ny"],
    ["of lines after an open end", "a\r\nb", [insert(2, "x\r", "y")], "a\r\nb\r\nx\r\ny"],
    ["in a mixed text", "a\r\nb\nc\n", [replace(1, ["a\r"], "A\r"), insert(3, "d\r")], "A\r\nb\nc\nd\r\n"],
    ["on some new lines is text", "a\r\n", [insert(1, "x\r", "y")], "a\r\nx\r\r\ny\r\n"],
    ["in a text of LF is text", "a\n", [insert(1, "x\r")], "a\nx\r\n"],
    ["that a line lacks is a mismatch", "a\n", [remove(1, "a\r")], 'NO_MATCH: line 1 is "a", not "a\\r"'],
    ["of a line's text is of its text", "a\r\r\n", [replace(1, ["a\r"], "b\r")], "b\r\r\n"],
  ];
  for (const [name, base, changes, result] of returned)
    test(`[LN5] a carriage return ${name}`, () => expect(plan(planLines(changes), base)).toBe(result));

  const advised: [name: string, base: string, change: LineChange, suggestion: string][] = [
    ["after line 2 of an empty text", "", insert(2, "x"), "Lines are from 1 to 1"],
    [
      "for too few lines",
      "a\nb\n",
      { ...remove(1, "a"), endLine: 2 } as LineChange,
      "the 2 lines of the range",
    ],
    [
      "for an inverted range",
      "a\n",
      { ...remove(1, "a"), endLine: 0 } as LineChange,
      "Send the smaller number first.",
    ],
    ["for a line break", "a\n", insert(1, "x\ny"), "Split the text at its line breaks"],
  ];
  for (const [name, base, change, suggestion] of advised)
    test(`[SE26, LN6] a refusal ${name} says what to send`, () => {
      const text = Text.of(base);
      const refused = planLines([change])({ text, eol: "lf", maxBytes: 1 << 24 });
      expect(refused).toMatchObject({ suggestion: expect.stringContaining(suggestion) });
    });
});

describe("patch", () => {
  const base = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join("");

  test("[PT1] a hunk that moved farther than ten lines asks for confirmation", () => {
    const hunk = (at: number) => `@@ -${at},3 +${at},3 @@\n line 29\n-line 30\n+LINE 30\n line 31\n`;
    const text = Text.of(base);
    const at = (line: number) => planPatch(hunk(line))({ text, eol: "lf", maxBytes: 1 << 24 });
    expect(at(29)).toMatchObject({ applied: { hunks: 1, offset: 0, fuzz: 0 } });
    expect(at(19)).not.toHaveProperty("confirm");
    expect(at(18)).toHaveProperty("confirm");
  });

  test("[PA27] so does one that was placed with fuzz, and each such hunk is told with its place", () => {
    const text = Text.of(base.replace("line 30", "line\t30").replace("line 4\n", "four\n"));
    const first = "@@ -3,4 +3,4 @@\n line 3\n line 4\n-line 5\n+five\n line 6\n";
    const second = "@@ -17,3 +17,3 @@\n line 29\n-line 30\n+LINE 30\n line 31\n";
    const third = "@@ -40 +40 @@\n-line 40\n+LINE 40\n";
    const planned = planPatch(first + second + third, "tolerant")({ text, eol: "lf", maxBytes: 1 << 24 });
    expect(planned).toMatchObject({
      applied: { hunks: 3, offset: 12, fuzz: 2 },
      confirm: expect.stringMatching(
        /^hunk 1 \(line 5\) .*context lines.*; hunk 2 \(line 29\) .*12 lines.*white space.*$/,
      ),
      inexactHunks: [
        {
          hunk: 1,
          line: 5,
          offset: 0,
          fuzz: 2,
          there: { line: 3, text: ["line 3", "four", "line 5", "line 6", "line 7"] },
        },
        {
          hunk: 2,
          line: 29,
          offset: 12,
          fuzz: 1,
          there: { line: 27, text: expect.arrayContaining(["line\t30", "line 33"]) },
        },
      ],
    });
  });

  test("[PT3] hunks, and those without numbers in a long document, are limited in number", () => {
    const hunks = (count: number, header: string) => `${header}\n-x\n+y\n`.repeat(count);
    expect(
      planPatch(hunks(10_001, "@@ -1 +1 @@"))({ text: Text.of("x\n"), eol: "lf", maxBytes: 1 << 24 }),
    ).toMatchObject({
      code: "TOO_LARGE",
    });
    const long = { text: Text.of("z\n".repeat(50_000)), eol: "lf", maxBytes: 1 << 24 } as const;
    expect(planPatch(hunks(1001, "@@"))(long)).toMatchObject({ code: "TOO_LARGE" });
    expect(planPatch(hunks(1000, "@@"))(long)).toMatchObject({ code: "PATCH_REJECTED" });
  });

  test("[PT4] a patch that would create, delete or rename a file is refused with the way to do that", () => {
    for (const header of [
      "--- /dev/null\n+++ b/x",
      "--- a/x\n+++ /dev/null",
      "diff --git a/x b/x\nnew file mode 100644",
    ])
      expect(
        planPatch(`${header}\n@@ -0,0 +1 @@\n+q\n`)({
          text: Text.of("a\n"),
          eol: "lf",
          maxBytes: 1 << 24,
        }),
      ).toMatchObject({
        code: "PATCH_REJECTED",
        suggestion: expect.stringMatching(/^Call doc\.create, doc\.delete or doc\.rename/),
      });
  });

  test("[PT2] a refusal names the hunk, the reason and what to do", () => {
    const planned = planPatch("@@ -1,1 +1,1 @@\n-line 9000\n+x\n")({
      text: Text.of(base),
      eol: "lf",
      maxBytes: 1 << 24,
    });
    expect(planned).toMatchObject({
      code: "PATCH_REJECTED",
      details: { reason: "context_mismatch", hunk: 1 },
    });
    expect((planned as Refusal).suggestion).toContain("Read the document again");
  });

  test("[PT2] a refusal says once what to do", () => {
    const far = "@@ -700,1 +700,1 @@\n-line 3\n+x\n";
    for (const patch of ["@@ -1,1 +1,1 @@\n-line 9000\n+x\n", far, "@@ @@\n+x\n"]) {
      const { message, suggestion } = planPatch(patch)({
        text: Text.of(base),
        eol: "lf",
        maxBytes: 1 << 24,
      }) as Refusal;
      expect(message).not.toMatch(/Read|Add|Put/);
      expect(suggestion).toMatch(/^(?:Read the document again|Add context lines)/);
    }
  });
});
