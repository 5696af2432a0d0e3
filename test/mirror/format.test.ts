import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode, looksText } from "../../src/mirror/format.ts";
import { unicode } from "../text/language.ts";

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((p) => (typeof p === "string" ? Buffer.from(p) : Buffer.from(p))));

describe("bytes and text", () => {
  test("[I11] what is text comes back byte for byte", () => {
    fc.assert(
      fc.property(unicode({ maxLength: 30, repeat: 900 }), fc.boolean(), (s, bom) => {
        const file = bytes(bom ? [0xef, 0xbb, 0xbf] : [], s);
        expect(Buffer.concat(encode(decode(file)!))).toEqual(file);
      }),
    );
  });

  const not: [name: string, file: Buffer][] = [
    ["a NUL", bytes("a\0b")],
    ["Latin-1", bytes([0xe9], "t")],
    ["half a character", bytes("a", [0xe2, 0x82])],
    ["an encoded surrogate", bytes([0xed, 0xa0, 0x80])],
    ["an overlong form", bytes([0xc0, 0xaf])],
  ];
  for (const [name, file] of not)
    test(`[I11] ${name} is no text`, () => expect(decode(file)).toBeUndefined());

  test("[DC1] a listing's guess forgives a character that its window cuts in two", () => {
    expect(looksText(bytes("abc", [0xe2, 0x82]))).toBe(true);
    expect(looksText(bytes("a\0"))).toBe(false);
    expect(looksText(bytes([0xff, 0xfe], "a"))).toBe(false);
  });
});
