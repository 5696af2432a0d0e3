import { describe, expect, test } from "vitest";
import { type Placement, placePatch } from "../../src/text/patch/locate.ts";
import { isPatchFailure, type PatchFailure, parsePatch } from "../../src/text/patch/patch.ts";
import { Text } from "../../src/text/text.ts";
import { edit, spliceString } from "./language.ts";

/** Returns the place of a patch that is read and placed tolerantly. */
function placed(base: string, ...lines: string[]): Placement | PatchFailure {
  const patch = parsePatch(`${lines.join("\n")}\n`, "tolerant");
  return isPatchFailure(patch) ? patch : placePatch(Text.of(base), patch, "tolerant");
}

function landed(base: string, ...lines: string[]): Placement & { readonly text: string } {
  const placement = placed(base, ...lines);
  if (isPatchFailure(placement)) throw new Error(`${placement.reason}: ${placement.message}`);
  return { ...placement, text: spliceString(base, placement.splices) };
}

/** Returns the failure of a patch that must be refused. */
function refused(base: string, ...lines: string[]): PatchFailure {
  const placement = placed(base, ...lines);
  if (!isPatchFailure(placement)) throw new Error("the patch was placed");
  return placement;
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
const HUNK = (at: number, a = "line 3", z = "line 7") => [
  ...[`@@ -${at},5 +${at},5 @@`, ` ${a}`, " line 4", "-line 5"],
  ...["+five", " line 6", ` ${z}`],
];

describe("the steps of a tolerant match", () => {
  const steps: [name: string, base: string, hunk: string[], fuzz: number, allowed: string | undefined][] = [
    ["as it stands", numbered(9), HUNK(3), 0, undefined],
    ["white space", numbered(9).replace("line 4", "line\t4  "), HUNK(3), 1, "white space"],
    [
      "a blank line more in the document",
      numbered(9).replace("line 4\n", "line 4\n\n"),
      HUNK(3),
      1,
      "blank lines",
    ],
    ["without the outermost lines", numbered(9), HUNK(3, "no such line"), 1, "context"],
    ["without two of them", numbered(9).replace("line 4", "4"), HUNK(3, "no such line"), 2, "context"],
  ];
  for (const [name, base, hunk, fuzz, allowed] of steps)
    test(`[PA22] ${name}: fuzz ${fuzz}`, () => {
      const placement = landed(base, ...hunk);
      expect(placement).toMatchObject({ fuzz, maxOffset: 0 });
      expect(placement.hunks[0]?.allowed).toBe(allowed);
      expect(placement.text).toBe(base.replace("line 5", "five"));
    });

  test("[PA47] each hunk uses its own step, and the largest fuzz is the patch's", () => {
    const base = numbered(40).replace("line 20", "line  20");
    const second = ["@@ -19,3 +19,3 @@", " line 19", "-line 20", "+20", " line 21"];
    const { hunks, fuzz } = landed(base, "@@ -1 +1 @@", "-line 1", "+1", ...second);
    expect(hunks).toMatchObject([{ fuzz: 0 }, { fuzz: 1, line: 19, count: 3 }]);
    expect(fuzz).toBe(1);
  });

  test("[PA48] a hunk that no step finds is refused as by a strict match", () => {
    const base = numbered(9);
    expect(refused(base, "@@ -3,3 +3,3 @@", " line 3", "-line four", "+4", " line 5")).toMatchObject({
      reason: "context_mismatch",
      line: 4,
      expected: ["line 3", "line four", "line 5"],
      start: 3,
      actual: ["line 3", "line 4", "line 5"],
    });
  });

  test("[PA49] a strict match uses none of these steps", () => {
    for (const [, base, hunk, fuzz] of steps.slice(1)) {
      const patch = parsePatch(`${hunk.join("\n")}\n`);
      if (isPatchFailure(patch)) throw new Error(patch.message);
      expect(fuzz).toBeGreaterThan(0);
      expect(placePatch(Text.of(base), patch)).toMatchObject({ reason: "context_mismatch" });
    }
  });

  test("[PA22] a hunk that was cut off after context has fuzz 1", () => {
    const cut = ["@@ -1,6 +1,6 @@", "-line 1", "+1", " line 2"];
    expect(landed(numbered(9), ...cut)).toMatchObject({ fuzz: 1, hunks: [{ allowed: "missing lines" }] });
  });
});

describe("a tolerant match changes", () => {
  const touches: [name: string, source: string, patch: string[]][] = [
    [
      "no line ending of a CRLF document",
      "a\t1\r\nb[|!]\r\nc\r\n",
      ["@@ -1,3 +1,3 @@", " a 1", "-b", "+b!", " c"],
    ],
    [
      "no blank lines that only one side has",
      "a\n\n\nb[|!]\nc\n",
      ["@@ -1,5 +1,5 @@", " a", " ", "-b", "+b!", " ", " c"],
    ],
    [
      "no line that fuzz ignores",
      "other\nb\n[c|C]\nd\nother\n",
      ["@@ -1,5 +1,5 @@", " a", " b", "-c", "+C", " d", " e"],
    ],
    ["no byte order mark", "\ufeffa\t1\n[b|B]\n", ["@@ -1,2 +1,2 @@", " a 1", "-b", "+B"]],
  ];
  for (const [name, source, patch] of touches)
    test(`[PA23] ${name}`, () => {
      const { base, splices } = edit(source);
      expect(landed(base, ...patch).splices).toEqual(splices);
    });
});

test("[PA23] inserted lines come from the patch, context lines from the document", () => {
  const hunk = ["@@ -1,3 +1,3 @@", " if  x:", "-    return 1", "+    return 2", "     end"];
  expect(landed("if x:\n\treturn 1\n\tend  \n", ...hunk).text).toBe("if x:\n    return 2\n\tend  \n");
});

describe("the end of the search", () => {
  test("[PA24] several places at any step are ambiguous", () => {
    const hunk = (at: number, ...lines: string[]) => [`@@ -${at},2 +${at},2 @@`, ...lines];
    expect(refused("a\tx\ny\nz\na\tx \ny\n", ...hunk(2, " a x", "-y", "+Y"))).toMatchObject({
      reason: "context_ambiguous",
      candidates: [1, 4],
    });
    const fuzzy = "1\nb\nc\n2\nb\nc\n3\n";
    expect(refused(fuzzy, "@@ -3,3 +3,3 @@", " no", " b", "-c", "+C")).toMatchObject({
      reason: "context_ambiguous",
      candidates: [2, 5],
    });
  });

  for (const [offset, reason] of [
    [50, undefined],
    [51, "context_overflow"],
  ] as const)
    test(`[PA51] lines with other white space are found up to 50 lines away: ${offset}`, () => {
      const base = `${"-\n".repeat(offset)}a\tb\nc\n`;
      const placement = placed(base, "@@ -1,2 +1,2 @@", " a b", "-c", "+C");
      if (reason === undefined) expect(placement).toMatchObject({ maxOffset: 50, fuzz: 1 });
      else expect(placement).toMatchObject({ reason, candidates: [52] });
    });

  test("[PA51] exact lines too far away end the search for inexact lines nearby", () => {
    const base = `x\nb\nc\nd\ny\n${"-\n".repeat(60)}a\nb\nc\nd\ne\n`;
    const hunk = ["@@ -1,5 +1,5 @@", " a", " b", "-c", "+C", " d", " e"];
    expect(refused(base, ...hunk)).toMatchObject({ reason: "context_overflow", candidates: [66] });
  });

  test("[PA52] an already applied hunk is refused", () => {
    const base = numbered(9).replace("line 5", "five");
    expect(refused(base, ...HUNK(3))).toMatchObject({ reason: "already_applied" });
  });

  test("[PA50] when one hunk fails, no hunk is applied", () => {
    const failing = ["@@ -8 +8 @@", "-no such line", "+8"];
    expect(refused(numbered(9), ...HUNK(3, "no"), ...failing)).toMatchObject({ hunk: 2 });
  });
});

describe("blank lines", () => {
  const hunk = (...lines: string[]) => {
    const count = (other: string) => lines.filter((line) => !line.startsWith(other)).length;
    return [`@@ -1,${count("+")} +1,${count("-")} @@`, ...lines];
  };

  test("[PA25] in the context may be missing from the document, and the document may have others", () => {
    const cases: [base: string, lines: string[], text: string][] = [
      ["a\nb\nc\n", [" a", " ", "-b", "+B", " ", " c"], "a\nB\nc\n"],
      ["a\n\n\nb\n\nc\n", [" a", "-b", "+B", " c"], "a\n\n\nB\n\nc\n"],
      ["a\nb\nc\n", [" ", " a", "-b", " c", " "], "a\nc\n"],
      ["a\nb\n", [" a", "+x", " ", " b"], "a\nx\nb\n"],
      ["a\n \t\nb\nc\n", [" a", " b", "-c", "+C"], "a\n \t\nb\nC\n"],
    ];
    for (const [base, lines, text] of cases)
      expect(landed(base, ...hunk(...lines))).toMatchObject({ text, fuzz: 1 });
  });

  test("[PA25] must match next to inserted lines and between two deleted lines", () => {
    expect(refused("a\n\nb\n", ...hunk(" a", "+x", " b")).reason).toBe("context_mismatch");
    expect(refused("a\n\nb\nc\n", ...hunk("-a", "-b", " c")).reason).toBe("context_mismatch");
  });
});

describe("fuzz", () => {
  test("[PA26] the side with less context loses less of it", () => {
    const hunk = ["@@ -2,5 +2,5 @@", " line 2", "-line 3", "+3", " line 4", " line 5", " no such line"];
    expect(landed(numbered(9), ...hunk)).toMatchObject({ fuzz: 1, hunks: [{ line: 2, count: 4 }] });
    expect(refused(numbered(9), ...hunk.with(1, " no such line")).reason).toBe("context_mismatch");
  });

  test("[PA54] blank lines alone identify no place", () => {
    expect(refused("x\n\ny\n", "@@ -1,3 +1,4 @@", " a", "", "+new", " b").reason).toBe("context_mismatch");
    expect(refused("x\ny\n", "@@ -1,2 +1,3 @@", " a", "+new", " b").reason).toBe("context_mismatch");
  });

  test("[PA53] deleted lines are never ignored", () => {
    expect(refused(numbered(9), "@@ -3,2 +3,1 @@", " line 3", "-no such line").reason).toBe(
      "context_mismatch",
    );
  });
});

test("[PA18] a hunk without numbers in its header uses the same steps over the whole document", () => {
  const far = `${"-\n".repeat(200)}if  x:\n\treturn\n`;
  expect(landed(far, "@@", " if x:", "-    return", "+    pass")).toMatchObject({
    fuzz: 1,
    maxOffset: 0,
    hunks: [{ line: 201 }],
  });
  expect(refused(far + far, "@@", " if x:", "-    return", "+    pass").reason).toBe("context_ambiguous");
});

test("[PL13] repetition does not make the tolerant search quadratic", () => {
  const same = "x\n\n".repeat(40_000);
  const long = Array.from({ length: 5000 }, () => " x");
  expect(refused(same, "@@ -20000,5001 +1,5001 @@", ...long, "-y", "+z").reason).toBe("context_mismatch");
  expect(refused(same, "@@", ...long, "-y", "+z").reason).toBe("context_mismatch");
});

test("[PA35] beyond a bound of work, only strict matches count", () => {
  const base = Array.from({ length: 30_000 }, (_, i) => `line\t${i + 1}\n`).join("");
  const hunks = (count: number) =>
    Array.from({ length: count }, (_, i) => `@@ -${i + 1} +${i + 1} @@\n-line ${i + 1}\n+x`);
  expect(landed(base, ...hunks(300)).hunks).toHaveLength(300);
  expect(refused(base, ...hunks(400))).toMatchObject({ reason: "context_mismatch" });
});
