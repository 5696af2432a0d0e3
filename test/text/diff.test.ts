import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { align } from "../../src/text/diff/align.ts";
import { StepBudget } from "../../src/text/diff/budget.ts";
import { diff } from "../../src/text/diff/diff.ts";
import { isWellFormed } from "../../src/text/positions.ts";
import { spliceProblem } from "../../src/text/splice.ts";
import { times } from "../e2e/long.ts";
import { chars, edit, spliceString, unicode } from "./language.ts";

/** Returns the diff of two texts in the edit language: unchanged text, and `[old|new]` for each splice. */
function inEditLanguage(base: string, updated: string): string {
  const points = chars(base);
  let out = "";
  let at = 0;
  for (const { from, to, insert } of diff(base, updated)) {
    out += `${points.slice(at, from).join("")}[${points.slice(from, to).join("")}|${insert}]`;
    at = to;
  }
  return out + points.slice(at).join("");
}

/** Checks that the diff of the two texts of an edit, given in the edit language, is the same edit. */
function finds(source: string): void {
  const { base, splices } = edit(source);
  expect(inEditLanguage(base, spliceString(base, splices))).toBe(source);
}

/** Returns deterministic words, so that long texts are the same on every run. */
function wordSource(seed: number): () => string {
  let r = seed;
  const next = (n: number) => {
    r = (r * 48271) % 2147483647;
    return r % n;
  };
  return () => Array.from({ length: 3 + next(8) }, () => String.fromCharCode(97 + next(26))).join("");
}

function lines(count: number, seed: number): string[] {
  const word = wordSource(seed);
  return Array.from({ length: count }, () => `${[word(), word(), word(), word()].join(" ")}\n`);
}

describe("diff", () => {
  // These emoji share one half of their surrogate pairs.
  const emoji = fc
    .array(fc.constantFrom("\u{1f600}", "\u{1f601}", "\u{1fa00}", "x", "\n"))
    .map((all) => all.join(""));
  const pair = fc.oneof(
    fc.tuple(emoji, emoji),
    fc.tuple(unicode({ maxLength: 60 }), unicode({ maxLength: 60 })),
    fc.tuple(unicode({ maxLength: 12, repeat: 12 }), unicode({ maxLength: 12, repeat: 12 })),
  );

  test("[DF1] its splices turn one text into the other, ascend and never touch", () => {
    fc.assert(
      fc.property(pair, ([base, updated]) => {
        const splices = diff(base, updated);
        expect(spliceString(base, splices)).toBe(updated);
        expect(spliceProblem(splices, chars(base).length)).toBeUndefined();
        for (let i = 1; i < splices.length; i++) expect(splices[i]!.from).toBeGreaterThan(splices[i - 1]!.to);
        expect(splices.every((s) => isWellFormed(s.insert))).toBe(true);
      }),
      { numRuns: times(400, 30_000) },
    );
  });

  test("[DF10] equal texts have no splices", () => expect(diff("same\n", "same\n")).toEqual([]));

  const characters: [name: string, edit: string][] = [
    ["a changed word is its differing characters", "one tw[o|i] three"],
    ["an inserted word is that word", "the [|car ]cat sat"],
    ["a deleted word is that word", "the [car |]cat sat"],
    ["two changed words of a line are two splices", "the [quick|slow] brown [fox|cat] jumps"],
    ["parts of an identifier", "[g|s]etUser[Nam|Ag]e()"],
    ["only the line that changed", 'name = "[Alice|Bob]"\nage = 25'],
    ["each of several changed lines", "const a = 1[|0];\nconst b[|b] = 2;\nconst c[|c] = 3;\n"],
    ["changed lines among inserted ones", "alpha[| one]\n[|inserted\n]beta[| two]\ngamma\n"],
    ["one character of a script without spaces", "[今|明]日は天気が[い|悪]い"],
    ["a final newline alone", "a[|\n]"],
    ["a line after one without newline", "a[|\nb]"],
    ["the last line and the break ahead of it", "a[\nb|]"],
  ];
  for (const [name, source] of characters) test(`[DF2] ${name}`, () => finds(source));

  const whole: [name: string, edit: string][] = [
    ["one or two equal characters between changes are chance", "f([a, b|x, y])"],
    [
      "so are words that any two sentences share",
      "[The cat sat on the mat and purr|A dog ran to the park and bark]ed",
    ],
    ["lines that share little are replaced together", "[x\ny|alpha beta\ngamma]\n"],
    ["an emoji is one character", "a[\u{1f600}|\u{1f601}]b"],
    ["so is one whose other half is equal", "a[\u{1f600}|\u{1fa00}]b"],
  ];
  for (const [name, source] of whole) test(`[DF3] ${name}`, () => finds(source));

  const aligned: [name: string, edit: string][] = [
    ["a copied line comes after its twin", "a\nb\n[|b\n]c\n"],
    ["of twins the last is deleted", "a\nb\n[b\n|]c\n"],
    ["a copied block comes after its twin", "a\nb\n}\n\n[|a\nb\n}\n\n]c\n"],
    ["an inserted function is whole lines", "fn a\nend\n\n[|fn b\nend\n\n]fn c\nend\n"],
    ["a wrapper around a block is two insertions", "[|if (x) {\n]foo();\nbar();\n[|}\n]"],
    ["a similar line is inserted after the one it is like", "foo([1|0])\n[|foo(2)\n]"],
  ];
  for (const [name, source] of aligned) test(`[DF4] ${name}`, () => finds(source));

  const space: [name: string, edit: string][] = [
    ["a block that was indented", "if\n[|  ]foo();\n[|  ]bar();\n"],
    ["a line that was wrapped", "foo bar[ |\n]baz\n"],
    ["lines that were joined", "foo[\n| ]bar\n"],
    ["CRLF that became LF", "one[\r|]\ntwo[\r|]\n"],
  ];
  for (const [name, source] of space) test(`[DF5] only white space changes in ${name}`, () => finds(source));

  const split: [name: string, edit: string][] = [
    ["a line that was split, with text before the break", "the cat [|car\n]sat on the mat\n"],
    ["a line that was split after half of it", "the cat sat [|quietly,\nthen lay ]on the mat\n"],
    ["two lines that were joined", "the cat sat on[, it said,\n|] the mat\n"],
  ];
  for (const [name, source] of split) test(`[DF9] ${name}`, () => finds(source));

  const many = (name: string) => Array.from({ length: 30 }, (_, i) => `${name}:${i}`).join(" ");
  const kept: [name: string, edit: string][] = [
    ["lines that grew to many times their length", `one:[| ${many("a")}]\ntwo:[| ${many("b")}]\n`],
    ["a line that grew beside new lines", `one:[| ${many("a")}]\ntwo\n[|${many("b")}\n]three\n`],
    [
      "a short part between two long ones",
      `one: [|${many("a")} ]ed:32[| ${many("b")}]\ntwo:[| ${many("c")}]\n`,
    ],
    [
      "lines that lost nearly everything",
      `one:[ ${many("a")}|]\ntwo: [${many("b")} |]ed:32[ ${many("c")}|]\n`,
    ],
  ];
  for (const [name, source] of kept) test(`[DF12] ${name}`, () => finds(source));

  const blank: [name: string, edit: string][] = [
    ["a blank line removed between them", "one [two|2] three\n[\n|]four five [six|6]\n\n\n[e|E]nd\n"],
    ["a blank line added between them", "one [two|2] three\n[|\n]four five [six|6]\n\n\n[e|E]nd\n"],
    [
      "two paragraphs joined",
      "one [two\n\n|eleven twelve thirteen ]four five six seven eight\n\n\nend of it[| all]\n",
    ],
  ];
  for (const [name, source] of blank)
    test(`[DF13] changed lines stay lines of their own: ${name}`, () => finds(source));

  const marks: [name: string, edit: string][] = [
    ["between two insertions", "t[| “beta”]he “alphabet”[|\na line of its own “gamma”\n]“omega”\n"],
    ["after an insertion", "see [|\nand a line of its own with “words”]“alphabet”\n  end[|ing, at last]\n"],
    ["beside a dash", "t[| “beta”]he “alphabet”[|\na line of its own “gamma”\n]—\n"],
  ];
  for (const [name, source] of marks)
    test(`[DF14] a word beside marks outside ASCII is preserved: ${name}`, () => finds(source));

  test("[DF12] three letters in a line of many words are chance", () =>
    finds("[it\nis so|the cat sat on the mat with its toy\nwhere it lay in the sun and so it slept]\n"));

  test("[DF7] many long lines that grew are compared in bounded time", () => {
    const long = Array.from({ length: 40 }, (_, i) => `${"ab ".repeat(20_000)}${i}\n`);
    const grown = long.map((line, i) => `${i % 2 === 0 ? "x" : "yy"} ${"ba ".repeat(i)}${line}`);
    expect(spliceString(long.join(""), diff(long.join(""), grown.join(""))) === grown.join("")).toBe(true);
  });

  test("[DF6] form feed, NEL and U+2028 do not end a line", () => {
    finds("a\fb\n[|a\fb\n]c\u2028d\u0085e\n");
    expect(inEditLanguage("x\u2028y\u2028z\n", "x\u2028z\n")).toBe("x\u2028[y\u2028|]z\n");
  });

  test("[DF11] texts with nothing in common give one splice, at any size", () => {
    const word = wordSource(7);
    const long = () => Array.from({ length: 2700 }, word).join(" ");
    expect(diff(long(), long())).toHaveLength(1);
    expect(diff(lines(10_000, 1).join(""), lines(10_000, 2).join(""))).toHaveLength(1);
    expect(diff(lines(10_000, 1).join(""), lines(7_000, 2).join(""))).toHaveLength(1);
  });

  test("[DF7] ten thousand changed lines of a hundred thousand give ten thousand splices", () => {
    const base = lines(100_000, 3);
    const updated = base.map((line, i) => (i % 10 === 0 ? line.replace(/ /, " 7 ") : line));
    const splices = diff(base.join(""), updated.join(""));
    expect(splices).toHaveLength(10_000);
    expect(splices.every((s) => s.from === s.to && s.insert === "7 ")).toBe(true);
  });

  test("[DF7] hostile texts get a correct diff in bounded time", () => {
    const few = (seed: number, size: number) =>
      lines(size, seed)
        .map((line) => `${line.charCodeAt(0) % 3}\n`)
        .join("");
    const cases = [
      [few(1, 20_000), few(2, 20_000)],
      ["ab".repeat(30_000), "ba".repeat(30_000)],
      [`${"x ".repeat(20_000)}\n`, `${"x y ".repeat(10_000)}\n`],
      ["\n".repeat(50_000), " \n".repeat(50_000)],
    ] as const;
    for (const [base, updated] of cases)
      expect(spliceString(base, diff(base, updated)) === updated).toBe(true);
  });

  test("[DF8] without budget, unexamined parts count as different and examined parts stay equal", () => {
    const items = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 30 });
    fc.assert(
      fc.property(items, items, fc.integer({ min: 0, max: 80 }), (a, b, steps) => {
        const patched = [...a];
        for (const { a0, a1, b0, b1 } of align(a, b, new StepBudget(steps)).reverse())
          patched.splice(a0, a1 - a0, ...b.slice(b0, b1));
        expect(patched).toEqual(b);
      }),
      { numRuns: times(150, 10_000) },
    );
  });
});
