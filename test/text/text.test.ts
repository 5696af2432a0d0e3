import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countChars, isWellFormed } from "../../src/text/positions.ts";
import type { Splice } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { chars, spliceString, splicesFor, unicode } from "./language.ts";

describe("a text", () => {
  test("[TX1] a splice has the same effect as on a string, and positions are code points", () => {
    fc.assert(
      fc.property(
        unicode({ maxLength: 60, repeat: 400 }).chain((s) => fc.tuple(fc.constant(s), splicesFor(s))),
        ([s, splices]) => {
          const text = Text.of(s).splice(splices);
          expect(text.toString()).toBe(spliceString(s, splices));
          expect(text.chars).toBe(chars(text.toString()).length);
          expect(text.bytes).toBe(Buffer.byteLength(text.toString()));
          expect(Buffer.concat(text.encoded()).toString()).toBe(text.toString());
        },
      ),
      { numRuns: times(50, 3_000) },
    );
  });

  test("[TX1] a string has as many characters as code points", () => {
    expect(["", "aé", "\u{1f600}a\u{1f600}漢"].map(countChars)).toEqual([0, 2, 4]);
  });

  test("[TX1] many splices in a row leave the text equal to the string", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1 << 30 }), (seed) => {
        let s = "0123456789\n".repeat(3000);
        let text = Text.of(s);
        let r = seed;
        const next = (n: number) => {
          r = (r * 48271) % 2147483647;
          return r % n;
        };
        for (let i = 0; i < 30; i++) {
          const from = next(s.length + 1);
          const to = Math.min(s.length, from + next(next(4) === 0 ? 20000 : 20));
          const splice: Splice = { from, to, insert: "é".repeat(next(3) === 0 ? 9000 : 3).slice(0, 9000) };
          s = spliceString(s, [splice]);
          text = text.splice([splice]);
        }
        expect(text.toString()).toBe(s);
        expect(text.breaks).toBe(s.split("\n").length - 1);
      }),
      { numRuns: times(10, 300) },
    );
  });

  test("[TX2] positions convert between units and back, never into a character", () => {
    const text = Text.of("aé\u{1f600}漢\n");
    expect([0, 1, 2, 3, 4, 5].map((p) => text.convert(p, "utf-32", "utf-16"))).toEqual([0, 1, 2, 4, 5, 6]);
    expect([0, 1, 2, 3, 4, 5].map((p) => text.convert(p, "utf-32", "utf-8"))).toEqual([0, 1, 3, 7, 10, 11]);
    expect(text.convert(3, "utf-16", "utf-32")).toBeUndefined();
    expect(text.convert(2, "utf-8", "utf-32")).toBeUndefined();
    expect(text.convert(6, "utf-32", "utf-16")).toBeUndefined();
    expect(text.convert(Number.NaN, "utf-32", "utf-16")).toBeUndefined();
    expect(text.convert(0.5, "utf-32", "utf-16")).toBeUndefined();
  });

  test("[TX3] lines end at \\n only", () => {
    const text = Text.of("a\fb\u0085c\u2028d\re\r\nf");
    expect(text.lines).toBe(2);
    expect(text.lineSlice(2, 2)).toBe("f");
    expect(text.lineAt(text.chars)).toBe(2);
  });

  test("[TX3] line starts agree with splitting", () => {
    fc.assert(
      fc.property(unicode({ maxLength: 80, repeat: 300 }), (s) => {
        const text = Text.of(s);
        let at = 0;
        for (const [i, line] of s.split("\n").entries()) {
          expect(text.lineStart(i + 1)).toBe(at);
          at += chars(line).length + 1;
        }
      }),
      { numRuns: times(10, 500) },
    );
  });

  test("[TX4] matches are found across leaves", () => {
    const s = `${"x".repeat(8190)}needle${"y".repeat(9000)}needle`;
    expect([...Text.of(s).matches("needle")]).toEqual([8190, 8190 + 6 + 9000]);
    expect([...Text.of("aaaaa".repeat(4000)).matches("aaa")].length).toBe(Math.floor(20000 / 3));
    expect([...Text.of("ab".repeat(9000)).matches("ab".repeat(8999))]).toEqual([0]);
  });

  test("[TX5] a lone surrogate is refused", () => {
    expect(isWellFormed("a\ud800b")).toBe(false);
    expect(isWellFormed("\udc00")).toBe(false);
    expect(isWellFormed("\u{1f600}")).toBe(true);
    expect(() => Text.of("\ud83d")).toThrow(RangeError);
  });

  test("[TX8] a position outside the text throws and names it", () => {
    expect(() => Text.of("abc").splice([{ from: 2, to: 4, insert: "" }])).toThrow(
      "position 4 is outside 0..3",
    );
  });
});
