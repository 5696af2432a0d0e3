import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactly, stringifyExactly } from "../../src/text/exact-json.ts";
import { MOST_DEPTH, MOST_VALUES } from "../../src/work/bounds.ts";
import { readJson } from "../../src/work/json.ts";

const read = (text: string) => readJson(Buffer.from(text));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("JSON of bounded shape", () => {
  test("[BD1] parses to the result of JSON.parse", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        expect(read(text)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  test("[SD8] whole numbers that a double would round are bigints, and everything else is as JSON.parse reads it", () => {
    const big = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const string = fc.oneof(
      fc.string(),
      fc.constantFrom('"', "\\", "12345678901234567890", '\\"12345678901234567890'),
    );
    const leaf = fc.oneof(big, string, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    // JSON.parse of Node 24 itself reads the name `"` as `\\` in some objects that follow others.
    const name = string.filter((text) => text !== '"');
    const value = fc.array(fc.dictionary(name, fc.array(leaf)));
    fc.assert(
      fc.property(value, (value) => {
        const text = stringifyExactly(value);
        expect(stringifyExactly(parseExactly(text))).toBe(text);
        const rounded = (_key: string, item: unknown) => (typeof item === "bigint" ? Number(item) : item);
        expect(JSON.parse(JSON.stringify(parseExactly(text), rounded))).toEqual(JSON.parse(text));
      }),
    );
  });

  for (const text of ["012345678901234567890", "-", "12345678901234567890x", "--12345678901234567890"])
    test(`[SD8] ${text} is no number`, () => expect(read(text)).toEqual({ problem: "not JSON" }));

  test("[BD1] is parsed up to the depth limit and refused beyond it", () => {
    expect(read(nested(MOST_DEPTH))).toHaveProperty("value");
    expect(read(nested(MOST_DEPTH + 1))).toEqual({ problem: "too deep", limit: MOST_DEPTH });
    expect(read("[".repeat(100_000))).toEqual({ problem: "too deep", limit: MOST_DEPTH });
  });

  test("[BD1] is parsed up to the limit of values, names included, and refused beyond it", () => {
    const list = (size: number) => `[${Array(size).fill("1").join(",")}]`;
    expect(read(list(MOST_VALUES - 1))).toHaveProperty("value");
    expect(read(list(MOST_VALUES + 1))).toEqual({ problem: "too many values", limit: MOST_VALUES });
    expect(read(`[${"[],".repeat(MOST_VALUES / 2)}[]]`)).toHaveProperty("problem", "too many values");
    const names = Array.from({ length: MOST_VALUES / 2 + 1 }, (_, i) => `"${i}":1`).join(",");
    expect(read(`{${names}}`)).toHaveProperty("problem", "too many values");
  });

  test("[BD1] treats brackets and commas in strings as text, whatever escapes precede the closing quote", () => {
    const strings = ["[[[[", ",".repeat(MOST_VALUES), '\\"[', '"', "\\", '\\\\"{{{', "[".repeat(200)];
    for (const string of strings) expect(read(JSON.stringify([string]))).toEqual({ value: [string] });
  });

  test("[BD1] is refused when it is invalid", () => {
    for (const text of ["", "{", "[1,]", '"open', "]]]]", '{"a":}'])
      expect(read(text)).toEqual({ problem: "not JSON" });
  });
});
