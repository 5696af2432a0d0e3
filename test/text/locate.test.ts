import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../src/text/diff/unified.ts";
import { type Placement, placePatch } from "../../src/text/patch/locate.ts";
import { isPatchFailure, type Patch, type PatchFailure, parsePatch } from "../../src/text/patch/patch.ts";
import { spliceProblem } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { edit, spliceString } from "./language.ts";

/** The samples of any patch beside any text. */
const RUNS = times(750, 50_000);

function placed(base: string, ...patch: string[]): Placement | PatchFailure {
  const parsed = parsePatch(`${patch.join("\n")}\n`);
  return isPatchFailure(parsed) ? parsed : placePatch(Text.of(base), parsed);
}

function landed(base: string, ...patch: string[]): Placement {
  const placement = placed(base, ...patch);
  if (isPatchFailure(placement)) throw new Error(`${placement.reason}: ${placement.message}`);
  return placement;
}

/** Returns the text after a patch. */
const applied = (base: string, ...patch: string[]) => spliceString(base, landed(base, ...patch).splices);

function refused(base: string, ...patch: string[]): PatchFailure {
  const placement = placed(base, ...patch);
  if (!isPatchFailure(placement)) throw new Error("the patch was placed");
  return placement;
}

const numbered = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => `line ${i + from}\n`).join("");
const MARK = "\\ No newline at end of file";

describe("where a hunk lands", () => {
  test("[PL1] at its stated place, without offset", () => {
    expect(landed(numbered(9), "@@ -4,2 +4,2 @@", " line 4", "-line 5", "+five")).toMatchObject({
      hunks: [{ line: 4, offset: 0 }],
      maxOffset: 0,
      fuzz: 0,
    });
  });

  for (const offset of [10, 11, 50])
    test(`[PL2] ${offset} lines away it is found, and the offset is reported`, () => {
      const base = `${"\n".repeat(offset)}one\ntwo\n`;
      expect(landed(base, "@@ -1,2 +1,2 @@", " one", "-two", "+2")).toMatchObject({
        hunks: [{ line: offset + 1, offset }],
        maxOffset: offset,
      });
      const back = landed(
        `one\ntwo\n${"\n".repeat(99)}`,
        `@@ -${offset + 1},2 +1,2 @@`,
        " one",
        "-two",
        "+2",
      );
      expect(back).toMatchObject({ hunks: [{ line: 1, offset: -offset }], maxOffset: offset });
    });

  test("[PL17] 51 lines away it is refused as stale, and the refusal names the place", () => {
    const far = refused(`${"\n".repeat(51)}one\ntwo\n`, "@@ -1,2 +1,2 @@", " one", "-two", "+2");
    expect(far).toMatchObject({ reason: "context_overflow", hunk: 1, line: 52, candidates: [52] });
    expect(far.message).toContain("51 lines away");
  });

  test("[PL3] a block that occurs twice is ambiguous, unless one is at the stated place", () => {
    const base = "a\nb\nc\na\nb\nc\n";
    const hunk = (line: number) => [`@@ -${line},2 +${line},2 @@`, " a", "-b", "+B"];
    expect(refused(base, ...hunk(2))).toMatchObject({ reason: "context_ambiguous", candidates: [1, 4] });
    expect(applied(base, ...hunk(1))).toBe("a\nB\nc\na\nb\nc\n");
    expect(applied(base, ...hunk(4))).toBe("a\nb\nc\na\nB\nc\n");
  });

  test("[PL3] an equal block more than 50 lines away does not count", () => {
    const base = `${numbered(5)}a\n${numbered(60)}a\n`;
    expect(applied(base, "@@ -5 +5 @@", "-a", "+b")).toBe(`${numbered(5)}b\n${numbered(60)}a\n`);
  });

  test("[PL4] the offset of one hunk is tried first for the next, and offsets are relative to the headers", () => {
    const twins = `new\nnew\n${numbered(3)}x\n\nx\n`;
    const patch = ["@@ -1 +1 @@", "-line 1", "+1", "@@ -6 +6 @@", "-x", "+y"];
    expect(landed(twins, ...patch).hunks).toMatchObject([
      { line: 3, offset: 2 },
      { line: 8, offset: 2 },
    ]);
    expect(applied(twins, ...patch)).toBe("new\nnew\n1\nline 2\nline 3\nx\n\ny\n");
  });

  test("[PL5] hunks that overlap or go backwards are refused", () => {
    const first = ["@@ -4,2 +4,2 @@", " line 4", "-line 5", "+5"];
    const overlaps = refused(numbered(9), ...first, "@@ -5 +5 @@", "-line 5", "+V");
    expect(overlaps).toMatchObject({ reason: "range_overlap", hunk: 2 });
    expect(refused(numbered(9), ...first, "@@ -1 +1 @@", "-line 1", "+1").reason).toBe("range_overlap");
    expect(refused(numbered(9), ...first, "@@ -1,0 +2 @@", "+x").reason).toBe("range_overlap");
    expect(applied(numbered(6), ...first, "@@ -6 +6 @@", "-line 6", "+6")).toBe(
      `${numbered(3)}line 4\n5\n6\n`,
    );
  });
});

describe("hunks without context", () => {
  test("[PL6] lines go into an empty document, to the top, after a line, to the end", () => {
    expect(applied("", "@@ -0,0 +1,2 @@", "+a", "+b")).toBe("a\nb\n");
    expect(applied("", "@@ -0,0 +1 @@", "+a", MARK)).toBe("a");
    expect(applied("a\nb\n", "@@ -0,0 +1 @@", "+x")).toBe("x\na\nb\n");
    expect(applied("a\nb\n", "@@ -1,0 +2 @@", "+x")).toBe("a\nx\nb\n");
    expect(applied("a\nb\n", "@@ -2,0 +3 @@", "+x")).toBe("a\nb\nx\n");
  });

  test("[PL18] lines beyond the end are refused", () => {
    expect(refused("a\nb\n", "@@ -3,0 +4 @@", "+x")).toMatchObject({ reason: "range_overflow", hunk: 1 });
    expect(refused("", "@@ -1,0 +2 @@", "+x").reason).toBe("range_overflow");
  });

  test("[PL19] lines after a hunk that moved are refused, because their place is unknown", () => {
    const patch = ["@@ -1 +1 @@", "-line 1", "+1", "@@ -3,0 +4 @@", "+x"];
    expect(refused(`new\n${numbered(5)}`, ...patch)).toMatchObject({
      reason: "context_ambiguous",
      hunk: 2,
      candidates: [4, 5],
    });
  });
});

test("[PA34] a patch for an empty document does not make a second copy of it", () => {
  const patch = ["@@ -0,0 +1,2 @@", "+a", "+b"];
  expect(refused(applied("", ...patch), ...patch).reason).toBe("already_applied");
  expect(applied("a\n", ...patch)).toBe("a\nb\na\n");
});

describe("why a hunk has no place", () => {
  test("[PL7] the refusal gives the expected, the actual and the most similar lines", () => {
    const base = `${numbered(20)}alpha\nbeta\ngamma\n`;
    const failure = refused(base, "@@ -3,3 +3,3 @@", " alpha", "-Beta", "+b", " gamma");
    expect(failure).toMatchObject({
      ...{ reason: "context_mismatch", hunk: 1, line: 3, expected: ["alpha", "Beta", "gamma"] },
      ...{ actual: ["line 3", "line 4", "line 5"], nearest: { line: 21, text: ["alpha", "beta", "gamma"] } },
    });
    expect(failure.message).toContain('line 22 is "beta" instead of "Beta"');
  });

  test("[PL7] the refusal reports that only white space differs", () => {
    const failure = refused(
      "if x:\n\treturn 1\n",
      "@@ -1,2 +1,2 @@",
      " if x:",
      "-    return 1",
      "+    return 2",
    );
    expect(failure.message).toContain("Only white space differs");
    expect(failure.nearest?.line).toBe(1);
  });

  test("[PL7] a hunk with one inexact line still finds the most similar line", () => {
    const base = `${numbered(30)}export function parsePatch(source) {\n${numbered(30)}`;
    const failure = refused(base, "@@ -9 +9 @@", "-export function parsePatch(src) {", "+x");
    expect(failure.nearest).toEqual({ line: 31, text: ["export function parsePatch(source) {"] });
  });

  test("[PL7] the refusal of a hunk beyond the end gives the document's length", () => {
    expect(refused("a\n", "@@ -7 +7 @@", "-zzz", "+y").message).toContain("the document has 1 line ");
    expect(refused("", "@@ -1 +1 @@", "-zzz", "+y").message).toContain("the document is empty");
  });

  test("[PL8] a hunk whose result is already there is refused as already applied", () => {
    const patch = ["@@ -2,3 +2,3 @@", " line 2", "-line 3", "+three", " line 4"];
    expect(refused(applied(numbered(9), ...patch), ...patch)).toMatchObject({
      reason: "already_applied",
      hunk: 1,
    });
    const removal = ["@@ -2,3 +2,2 @@", " line 2", "-line 3", " line 4"];
    expect(refused(applied(numbered(9), ...removal), ...removal).reason).toBe("already_applied");
    expect(refused("a\n}\nb\n", "@@ -1,2 +1 @@", " }", "-x").reason).toBe("context_mismatch");
  });
});

describe("line endings", () => {
  const patch = ["@@ -1,3 +1,4 @@", " a", "-b", "+B", "+new", " c"];

  test("[PL9] a CRLF document matches an LF patch and stays CRLF", () => {
    expect(applied("a\r\nb\r\nc\r\n", ...patch)).toBe("a\r\nB\r\nnew\r\nc\r\n");
    expect(applied("a\nb\nc\n", ...patch.map((line) => `${line}\r`))).toBe("a\nB\nnew\nc\n");
  });

  test("[PL20] in a mixed document a new line gets the ending of the line it replaces or follows", () => {
    expect(applied("a\r\nb\nc\r\n", ...patch)).toBe("a\r\nB\nnew\nc\r\n");
    expect(applied("a\nb\r\nc\n", ...patch)).toBe("a\nB\r\nnew\r\nc\n");
    expect(applied("a\r\nb\n", "@@ -0,0 +1 @@", "+x")).toBe("x\r\na\r\nb\n");
  });

  test("[PL21] a patch that shows the document's own endings decides the endings of new lines", () => {
    expect(applied("a\r\nb\n", "@@ -1,2 +1,4 @@", " a\r", "+x", "+y\r", " b")).toBe("a\r\nx\ny\r\nb\n");
    expect(applied("a\r\n", "@@ -1 +1 @@", "-a\r", "+a")).toBe("a\n");
  });

  test("[PL27] a diff of a file with a byte order mark lands as the diff of its text does", () => {
    const line = fc.constantFrom("a", "b", "", "\u200b");
    const texts = fc.array(line, { minLength: 1, maxLength: 9 }).map((lines) => `${lines.join("\n")}\n`);
    fc.assert(
      fc.property(texts, texts, fc.constantFrom("\ufeff", ""), fc.nat(3), (before, after, mark, context) => {
        const diff = unifiedDiff(`\ufeff${before}`, mark + after, { from: "a/x", to: "b/x", context });
        fc.pre(diff !== "" && (context > 0 || mark !== ""));
        const patch = parsePatch(diff) as Patch;
        fc.pre(patch.hunks.every(({ oldCount }) => oldCount > 0));
        const placement = placePatch(Text.of(before), patch, "strict", true);
        if (isPatchFailure(placement)) throw new Error(placement.message);
        expect(spliceString(before, placement.splices)).toBe(after);
      }),
    );
  });

  test("[PL16] a byte order mark that the patch does not show stays where it is", () => {
    expect(applied("\ufeffa\nb\n", "@@ -1,2 +1,2 @@", "-a", "+A", " b")).toBe("\ufeffA\nb\n");
    expect(applied("\ufeffa\nb\n", "@@ -1,2 +1,3 @@", "+x", " a", " b")).toBe("\ufeffx\na\nb\n");
    expect(applied("\ufeffa\n", "@@ -0,0 +1 @@", "+x")).toBe("\ufeffx\na\n");
    expect(applied("\ufeffa\n", "@@ -1 +0,0 @@", "-a")).toBe("\ufeff");
    expect(applied("\ufeffa\r\n", "@@ -1 +1 @@", "-a\r", "+b\r")).toBe("\ufeffb\r\n");
    expect(applied("\ufeffa\n", "@@ -1 +1 @@", "-\ufeffa", "+a")).toBe("a\n");
    expect(refused("a\n\ufeffb\n", "@@ -2 +2 @@", "-b", "+B").reason).toBe("context_mismatch");
  });

  test("[PL10] the mark matches only where the document ends without newline", () => {
    const both = ["@@ -2 +2 @@", "-b", MARK, "+B", MARK];
    expect(applied("a\nb", ...both)).toBe("a\nB");
    expect(refused("a\nb\n", ...both)).toMatchObject({ reason: "context_mismatch", candidates: [2] });
    expect(refused("a\nb\nc", ...both).reason).toBe("context_mismatch");
    expect(applied("a\nb", "@@ -2 +2 @@", "-b", MARK, "+b")).toBe("a\nb\n");
    expect(applied("a\nb\n", "@@ -2 +2 @@", "-b", "+b", MARK)).toBe("a\nb");
    expect(applied("a\nb", "@@ -1,2 +1 @@", " a", "-b", MARK)).toBe("a\n");
  });

  test("[PL22] a patch without the mark leaves the document's end as it was", () => {
    expect(applied("a\nb", "@@ -1,2 +1,2 @@", " a", "-b", "+B")).toBe("a\nB");
    expect(applied("a\nb", "@@ -1,2 +1,3 @@", " a", " b", "+c")).toBe("a\nb\nc");
    expect(applied("a\r\nb", "@@ -2,0 +3,2 @@", "+c", "+d")).toBe("a\r\nb\r\nc\r\nd");
    expect(applied("a\nb", "@@ -1,2 +1 @@", " a", "-b")).toBe("a");
    expect(applied("a\nb", "@@ -1 +1 @@", "-a", "+A", "@@ -2 +1,0 @@", "-b")).toBe("A");
    expect(applied("b", "@@ -1 +0,0 @@", "-b")).toBe("");
  });
});

describe("a hunk changes", () => {
  const touches: [name: string, edit: string, patch: string[]][] = [
    [
      "only the changed word",
      "a\none tw[o|i] three\nb\n",
      ["@@ -1,3 +1,3 @@", " a", "-one two three", "+one twi three", " b"],
    ],
    [
      "only an inserted line, also next to an equal one",
      "a\n[|a\n]b\n",
      ["@@ -1,2 +1,3 @@", " a", "+a", " b"],
    ],
    [
      "only the deleted line `-- comment`",
      "x\n[-- comment\n|]y\n",
      ["@@ -1,3 +1,2 @@", " x", "--- comment", " y"],
    ],
    [
      "no fence in the context",
      "```js\nlet [a|b]\n```\n",
      ["@@ -1,3 +1,3 @@", " ```js", "-let a", "+let b", " ```"],
    ],
    ["no blank context lines", "\nx[|y]\n\n", ["@@ -1,3 +1,3 @@", "", "-x", "+xy", ""]],
    [
      "only the new part of an emoji joined by U+200D",
      "\u{1f469}\u200d\u{1f4bb}[|\u200d\u{1f525}]\n",
      ["@@ -1 +1 @@", "-\u{1f469}\u200d\u{1f4bb}", "+\u{1f469}\u200d\u{1f4bb}\u200d\u{1f525}"],
    ],
    [
      "only one line, even with form feed, NEL and U+2028 in it",
      "a\fb\u0085c\u2028d[|!]\ne\n",
      ["@@ -1,2 +1,2 @@", "-a\fb\u0085c\u2028d", "+a\fb\u0085c\u2028d!", " e"],
    ],
    ["nothing, when old and new are the same", "a\n", ["@@ -1 +1 @@", "-a", "+a"]],
  ];
  for (const [name, source, patch] of touches)
    test(`[PL11] ${name}`, () => {
      const { base, splices } = edit(source);
      expect(landed(base, ...patch).splices).toEqual(splices);
    });
});

describe("bounds", () => {
  test("[PL12] when one hunk fails, no hunk is applied", () => {
    const patch = ["@@ -1 +1 @@", "-line 1", "+1", "@@ -5 +5 @@", "-no such", "+x"];
    expect(refused(numbered(9), ...patch)).toMatchObject({ reason: "context_mismatch", hunk: 2 });
  });

  test("[PL13] repetition does not make the search quadratic", () => {
    const same = "x\n".repeat(40_000);
    const long = Array.from({ length: 10_000 }, () => " x");
    expect(refused(same, "@@ -20000,10001 +1,10001 @@", ...long, "-y", "+z").reason).toBe("context_mismatch");
    expect(refused(same, "@@ -39000,10000 +1,10001 @@", ...long, "+y").reason).toBe("context_overflow");
    const hunks = Array.from({ length: 10_000 }, (_, i) => `@@ -${3 * i + 1} +${3 * i + 1} @@\n-x\n+y`);
    expect(landed(same, hunks.join("\n")).splices).toHaveLength(10_000);
  });

  test("[PL23] any patch gets a result, and its splices are in range", () => {
    const odd = ["", "+\r", "-b\r", MARK, "--- a/x", "+++ a/x", "@@ -0,0 +1 @@", "-- "];
    const line = fc.constantFrom(" a", "-a", "+a", " b", "-b", "+b", "+c", ...odd);
    const hunk = fc.tuple(fc.nat(4), fc.array(line, { maxLength: 4 })).map(([at, lines]) => {
      const count = (other: string) => lines.filter((l) => l !== MARK && !l.startsWith(other)).length;
      return [`@@ -${at},${count("+")} +${at},${count("-")} @@`, ...lines];
    });
    const base = fc.array(fc.constantFrom("a\n", "b\n", "\n", "a\r\n"), { maxLength: 5 });
    let accepted = 0;
    fc.assert(
      fc.property(
        base,
        fc.constantFrom("", "a", "b"),
        fc.array(hunk, { maxLength: 2 }),
        (lines, end, hunks) => {
          const text = lines.join("") + end;
          const placement = placed(text, ...hunks.flat());
          if (isPatchFailure(placement)) return;
          accepted++;
          expect(spliceProblem(placement.splices, text.length)).toBeUndefined();
        },
      ),
      { numRuns: RUNS },
    );
    expect(accepted).toBeGreaterThan(RUNS / 100);
  });

  test("[PL14] a hunk lands on its block after up to 50 lines were inserted before it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 40 }), (ahead, at) => {
        const base = numbered(ahead, 1000) + numbered(60);
        const patch = [`@@ -${at},2 +${at},2 @@`, ` line ${at}`, `-line ${at + 1}`, "+changed"];
        expect(landed(base, ...patch)).toMatchObject({ hunks: [{ line: at + ahead, offset: ahead }] });
        expect(applied(base, ...patch)).toBe(base.replace(`line ${at + 1}\n`, "changed\n"));
      }),
    );
  });
});
