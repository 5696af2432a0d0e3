import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactly, stringifyExactly } from "../../src/text/exact-json.ts";
import { MOST_DEPTH, MOST_VALUES } from "../../src/work/bounds.ts";
import { readJson } from "../../src/work/json.ts";
import { times } from "../e2e/long.ts";

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

  test("[SD8] a number is read with the digits that it has, or as NaN", () => {
    const digits = fc.stringMatching(/^\d{0,25}$/);
    const spelled = fc
      .tuple(
        fc.constantFrom("", "-"),
        fc.bigInt({ min: 0n, max: 10n ** 25n }),
        digits,
        fc.integer({ min: -350, max: 350 }),
        fc.nat(3),
      )
      .map(([sign, whole, fraction, exponent, form]) => {
        const tail = fraction === "" || form === 0 ? "" : `.${fraction}`;
        return `${sign}${form === 1 ? 0 : whole}${tail}${form === 3 ? `e${exponent}` : ""}`;
      });
    let lost = 0;
    fc.assert(
      fc.property(spelled, (text) => {
        const value = (parseExactly(`{"a":[${text}]}`) as { a: [number | bigint] }).a[0];
        if (Number.isNaN(value)) lost++;
        const isHeld = areEqual(text, String(Number(text)));
        expect(areEqual(text, String(value))).toBe(isHeld || typeof value === "bigint");
        expect(Number.isNaN(value)).toBe(!isHeld && typeof value !== "bigint");
        if (/^-?\d+$/.test(text)) expect(value).not.toBeNaN();
        if (Number.isNaN(value)) expect(parseExactly(stringifyExactly(value))).toBeNaN();
      }),
      { numRuns: times(600, 20_000) },
    );
    expect(lost).toBeGreaterThan(200);
  });

  test("[SD8] a number of more digits than are kept is NaN, in time that grows with its size", () => {
    for (const text of [
      `1${"0".repeat(400_000)}1`,
      `0.${"1".repeat(400_000)}`,
      `${"9".repeat(400_000)}.5e-400000`,
    ])
      expect(read(`[${text}]`)).toEqual({ value: [Number.NaN] });
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

/** Returns true for two spellings of one number, compared as fractions. */
function areEqual(a: string, b: string): boolean {
  const [one, other] = [fractionOf(a), fractionOf(b)];
  return one !== undefined && other !== undefined && one.over * other.under === other.over * one.under;
}

function fractionOf(text: string): { over: bigint; under: bigint } | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  const power = Number(exponent) - fraction.length;
  return { over: digits * 10n ** BigInt(Math.max(0, power)), under: 10n ** BigInt(Math.max(0, -power)) };
}
