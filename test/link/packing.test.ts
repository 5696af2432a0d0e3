import { describe, expect, test } from "vitest";
import { decode, packer, unpacked } from "../../src/link/base/packing.ts";
import { decodeMessage } from "../../src/link/messages/message.ts";

/** The lengths at which the encoding of a text, of bytes, of a list or of a map takes another form. */
const LENGTHS = [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536];
const NUMBERS = [0, 1, -1, 127, 128, -32, -33, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53 - 1, 1 / 7, 0.5];

test("[MA171] what machines exchange is decoded as it was", () => {
  const values = LENGTHS.flatMap((length) => {
    const list = Array.from({ length }, (_, i) => i);
    const map = Object.fromEntries(list.slice(0, 65_535).map((i) => [`key ${i}`, null]));
    return ["x".repeat(length), "é".repeat(length), new Uint8Array(length).fill(0xdd), list, map];
  });
  const all = [...values, ...NUMBERS, null, undefined, true, false];
  const bytes = packer.encode({ all, nested: [{ all }, [[all]]] });
  expect(packer.encode(decode(bytes)).equals(bytes)).toBe(true);
});

describe("[MA171] bytes are refused", () => {
  /** A list in a list, and so on, each of which says that it has 32 million values. */
  const lists = Buffer.concat(Array.from({ length: 40 }, () => Buffer.from([0xdd, 0x01, 0xf0, 0, 0])));
  const long = Buffer.concat([Buffer.from([0xdd, 0, 0x80, 0, 0]), Buffer.alloc(0x80_0000, 0xc0)]);
  const maps = Buffer.from([0x92, 0xdf, 0, 0x10, 0, 0, 0xdf, 0, 0x10, 0, 0]);
  const record = Buffer.from([0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 1]);
  const cut = Buffer.from([0xdb, 0, 0]);

  test.each([
    ["that name more values than they have", lists],
    ["that name more entries than they have", maps],
    ["with more values than any message has", long],
    ["with an extension", record],
    ["that are cut", cut],
  ])("%s", (_, bytes) => {
    expect(unpacked(bytes)).toBe(undefined);
    expect(decodeMessage(bytes)).toMatch(/Error/);
  });
});
