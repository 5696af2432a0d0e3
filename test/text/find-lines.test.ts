import { describe, expect, test } from "vitest";
import { Exhausted } from "../../src/text/find/counted-text.ts";
import { type LineFinder, type LineOptions, lineFinder } from "../../src/text/find/find-lines.ts";

function finder(query: string, options: { regex?: boolean; ignoreCase?: boolean } = {}): LineFinder {
  const made = lineFinder({ query, regex: false, ignoreCase: false, ...options });
  if (typeof made !== "function") throw new Error(made.failed);
  return made;
}

const ALL: LineOptions = { context: 0, afterLine: 0, most: 100 };

function lines(find: LineFinder, text: string, options: Partial<LineOptions> = {}): [number, string][] {
  return find(text, { ...ALL, ...options }).found.map(({ line, text }) => [line, text]);
}

describe("lines with a match", () => {
  test("[SR1] have their number and text, once each", () => {
    expect(lines(finder("a"), "a a\nb\nca\n")).toEqual([
      [1, "a a"],
      [3, "ca"],
    ]);
    expect(lines(finder("a"), "")).toEqual([]);
    expect(lines(finder("a"), "b\r\na\r\n")).toEqual([[2, "a"]]);
  });

  test("[SR1] come with the lines around them, as far as there are any", () => {
    const { found } = finder("c")("a\nb\nc\nd\n", { ...ALL, context: 2 });
    expect(found).toEqual([{ line: 3, text: "c", before: ["a", "b"], after: ["d"] }]);
    expect(finder("d")("d", { ...ALL, context: 2 }).found[0]).toMatchObject({ before: [], after: [] });
  });

  test("[SR1] are found by a query of several lines, too", () => {
    expect(lines(finder("b\nc"), "a\nb\nc\n")).toEqual([[2, "b"]]);
  });

  test("[SR1] are cut when they are long", () => {
    expect(lines(finder("x"), "x".repeat(501))[0]![1]).toBe(`${"x".repeat(500)}…`);
  });

  test("[SR2] ignore case on request, also where lower case has another length", () => {
    expect(lines(finder("MONDAY"), "Monday\n")).toEqual([]);
    expect(lines(finder("MONDAY", { ignoreCase: true }), "İİİ\nMonday\n")).toEqual([[2, "Monday"]]);
    expect(lines(finder("^M.N", { regex: true, ignoreCase: true }), "a\nmon\n")).toEqual([[2, "mon"]]);
  });

  test("[SR2] match a regex, whose ^ and $ match at lines", () => {
    const text = "one\ntwo\n\nthree\n";
    expect(lines(finder("^t", { regex: true }), text)).toEqual([
      [2, "two"],
      [4, "three"],
    ]);
    expect(lines(finder("^$", { regex: true }), text)).toEqual([[3, ""]]);
    expect(lines(finder("x*", { regex: true }), text).map(([line]) => line)).toEqual([1, 2, 3, 4]);
  });

  test("[SR5] are at most as many as wanted, and the rest is found after the last one", () => {
    const find = finder("a");
    expect(find("a\na\na\n", { ...ALL, most: 2 })).toMatchObject({ found: { length: 2 }, more: true });
    expect(find("a\na\na\n", { ...ALL, most: 2, afterLine: 2 })).toMatchObject({
      found: [{ line: 3 }],
      more: false,
    });
  });

  test("[SR7] an invalid or too large regex is no finder, and one with too many steps ends", () => {
    expect(lineFinder({ query: "(", regex: true, ignoreCase: false })).toMatchObject({ failed: "syntax" });
    expect(lineFinder({ query: "a{999}{999}", regex: true, ignoreCase: false })).toMatchObject({
      failed: "program too large",
    });
    const slow = finder("(a|b|c){100}d", { regex: true });
    expect(() => slow("abc".repeat(1_000_000), ALL)).toThrow(Exhausted);
  });
});
