import fc from "fast-check";
import { RE2JS, RE2JSException } from "re2js";
import { describe, expect, test } from "vitest";
import { MOST_MATCHES, MOST_SPLICES } from "../../src/text/find/occurrence.ts";
import {
  MAX_PATTERN,
  MOST_INSTRUCTIONS,
  MOST_STEPS,
  type RegexReplacement,
  regexCost,
  replaceByRegex,
  runsInline,
} from "../../src/text/find/regex.ts";
import { regexSize } from "../../src/text/find/regex-size.ts";
import { spliceProblem } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";

const RUNS = times(100, 50_000);

/** Returns the text after a regex replacement, or the reason of its refusal. */
function replaced(
  text: string,
  pattern: string,
  updated = "x",
  options: Partial<RegexReplacement> = {},
): string {
  const defaults = {
    text,
    pattern,
    updated,
    occurrence: "all",
    eol: "lf",
    maxOutput: 1 << 24,
    maxSteps: MOST_STEPS,
  } as const;
  const result = replaceByRegex({ ...defaults, ...options });
  if (!("splices" in result)) return result.failed;
  const base = Text.of(text);
  expect(result.splices.length).toBeLessThanOrEqual(MOST_SPLICES);
  expect(spliceProblem(result.splices, base.chars)).toBeUndefined();
  return base.splice(result.splices).toString();
}

describe("a regex", () => {
  const sized: [name: string, pattern: string, failed: string][] = [
    ["alternatives a million times", "(a|b)".repeat(1_000_000), "pattern too long"],
    ["alternatives two thousand times", "(a|b)".repeat(2_000), "program too large"],
    [
      "a hundred thousand groups in groups",
      `${"(".repeat(100_000)}a${")".repeat(100_000)}`,
      "pattern too long",
    ],
    ["two thousand groups in groups", `${"(".repeat(2_000)}a${")".repeat(2_000)}`, "program too large"],
    ["counts that multiply", "(?:(?:x{10}){10}){10}".repeat(9), "program too large"],
    ["a count of a count", "x{1000}{1000}", "program too large"],
    ["many counts", "a{1000}".repeat(1_000), "program too large"],
    ["a class of thousands of ranges", `[${"a-\u{1ff00}".repeat(2_300)}]`, "x"],
    ["a class of Unicode properties", `[${"\\pL\\pN".repeat(1_200)}]`, "program too large"],
    ["counts behind a quote", `\\Q[(\\E${"a{1000}".repeat(500)}`, "program too large"],
    ["counts behind a bracket in a class", `[[][]]${"a{1000}".repeat(500)}`, "program too large"],
    ["optional ones", "(?:a?){800}a{800}", "program too large"],
  ];
  for (const [name, pattern, failed] of sized)
    test(`[RX1] of ${name} is sized before it is compiled`, () => {
      expect(replaced("a", pattern)).toBe(failed);
    });

  test("[RX1] is at most as large as its estimate", () => {
    const part = fc.constantFrom(
      ..."a b ( (?: (?i) (?P<n> ) [ ] ^ - | * + ? {2} {3,} {1,9} {0} {50} {7,9} \\Q \\E \\ \\d \\pL \\p{Greek} \\x{61} [:alpha:] [^a] []a] . $ { } , : \\] \\{ é \u{1f600}".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 14 }), (parts) => {
        const pattern = parts.join("");
        const { instructions } = regexSize(pattern);
        if (instructions > 10 * MOST_INSTRUCTIONS) return;
        try {
          const { re2 } = { re2: RE2JS.compile(pattern, RE2JS.MULTILINE) };
          expect(re2.programSize()).toBeLessThanOrEqual(2 * instructions);
        } catch (error) {
          if (!(error instanceof RE2JSException)) throw error;
        }
      }),
      { numRuns: RUNS, examples: [[["\\Q", "a", "{0}", "\\E", "{0}"]]] },
    );
  });

  test("[RX4] that is large on a long text is refused before it begins", () => {
    expect(replaced("a".repeat(1 << 20), "(?:a?){500}a{500}")).toBe("work");
    expect(regexCost("(?:a?){500}a{500}", 1 << 20)).toBeGreaterThan(1 << 29);
  });

  test("[RX2] that rereads the rest of the text for each match is stopped", () => {
    const maxSteps = 1 << 22;
    for (const pattern of ["(?s)a.*c|a", "(?:[ab]*){9}c|a"]) {
      expect(replaced("ab".repeat(5_000), pattern, "x", { maxSteps })).toBe("work");
      expect(replaced("ab".repeat(20), pattern, "x", { maxSteps })).toBe("xb".repeat(20));
    }
  });

  test("[RX2] has its steps counted by group when the replacement uses groups", () => {
    const pattern = "(a)(b)?(c)?(d)?(e)?".repeat(40);
    const maxSteps = 1 << 24;
    expect(replaced("abcde".repeat(300), pattern, "$&", { maxSteps })).not.toBe("work");
    expect(replaced("abcde".repeat(300), pattern, "$1", { maxSteps })).toBe("work");
  });

  test("[RX2] has the new text of one match counted while it is built", () => {
    const many = "$&".repeat(100_000);
    expect(replaced("a".repeat(1_000_000), "(?s).*", many, { maxOutput: 16 << 20 })).toBe("output");
  });

  test("[RX3] is known to be long or short by its pattern and its text", () => {
    const short = { pattern: "(\\w+) (\\w+)", text: "x".repeat(5_000) };
    expect(runsInline(short.pattern, short.text.length)).toBe(true);
    expect(runsInline(short.pattern, 500_000)).toBe(false);
    expect(runsInline("a{1000}", short.text.length)).toBe(false);
    expect(runsInline("a".repeat(MAX_PATTERN + 1), short.text.length)).toBe(false);
  });

  test("[RP6] has its output counted while it is built", () => {
    const text = "a".repeat(50_000);
    expect(replaced(text, "a", "x".repeat(100_000))).toBe("output");
    expect(replaced(text, "(a)", "$1".repeat(100), { maxOutput: 1_000_000 })).toBe("output");
    expect(replaced(text, "(a)", "$1".repeat(101))).toBe("references");
  });

  test("[RP5] that matches very often gives few splices, with the same result", () => {
    const text = `${"a\u{1f600}b".repeat(12_000)}é`;
    expect(replaced(text, "a|b", "<$&>")).toBe(text.replaceAll(/[ab]/g, "<$&>"));
    expect(replaced("a".repeat(MOST_MATCHES + 1), "a")).toBe("matches");
  });

  test("[RP1] counts matches to the n-th and no further", () => {
    const text = "a".repeat(1_000);
    expect(replaced(text, "a", "x", { occurrence: 1_000 })).toBe(`${"a".repeat(999)}x`);
    expect(replaced(text, "a", "x", { occurrence: 99_999_999 })).toBe("fewer");
  });

  test("[RP7] whose replacement names a missing group is refused", () => {
    expect(replaced("a", "(?P<n>a)", "$<m>")).toBe("no group");
    expect(replaced("a", "(?P<n>a)", "$<n>$7$$")).toBe("a$");
  });

  test("[RP4] gives the same result as the engine's own replacement", () => {
    const pattern = fc.constantFrom(
      "a",
      "(a)|b",
      "\\w+",
      "^.",
      "x*",
      "\\b",
      "[^a]",
      "(?i)(é)|A",
      "$",
      "\u{1f600}+",
    );
    const text = fc.string({
      unit: fc.constantFrom("a", "b", " ", "\n", "é", "\u{1f600}", "A"),
      maxLength: 40,
    });
    const updated = fc.constantFrom("", "x", "<$&>", "$1", "$1\u{1f600}", "a");
    fc.assert(
      fc.property(pattern, text, updated, (pattern, text, updated) => {
        const expected = RE2JS.compile(pattern, RE2JS.MULTILINE).matcher(text).replaceAll(updated);
        if (updated.includes("$1") && !pattern.includes("(a")) return;
        expect(["none", expected]).toContain(replaced(text, pattern, updated));
      }),
      { numRuns: RUNS },
    );
  });
});
