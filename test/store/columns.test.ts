import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { Encoder } from "msgpackr";
import { expect, test } from "vitest";
import { columnOf, valuesOf } from "../../src/store/format/column.ts";
import { decodeOlderRows } from "../../src/store/format/older-columns.ts";

const kindOf = (values: readonly unknown[]) => columnOf(values)[0];

test("[ST41] a column comes back as it was, whatever its values", () => {
  const values = fc.oneof(
    fc.array(fc.maxSafeInteger(), { minLength: 1 }),
    fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 40 }),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
    fc.array(
      fc.nat().map((parts) => 1.7e12 + parts / 1024),
      { minLength: 1 },
    ),
    fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }),
    fc.array(
      fc.tuple(fc.constantFrom("a-", "b", "0"), fc.nat()).map((parts) => parts.join("")),
      {
        minLength: 4,
      },
    ),
    fc
      .array(fc.uint8Array({ minLength: 4, maxLength: 4 }), { minLength: 1 })
      .map((all) => all.map((bytes) => Buffer.from(bytes).toString("hex"))),
    fc.array(fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)), { minLength: 1 }),
  );
  fc.assert(
    fc.property(values, (given) => {
      const plain = given.map((value) => (value === 0 ? 0 : value)); // msgpack has no -0
      expect(valuesOf(columnOf(plain))).toEqual(plain);
    }),
  );
});

test("[ST41] each kind of values has a form of its own", () => {
  const many = (value: (i: number) => unknown) => Array.from({ length: 200 }, (_, i) => value(i));
  expect(kindOf(many(() => "owner/alice"))).toBe("same");
  expect(kindOf(many((i) => 1e6 + i))).toBe("numbers");
  expect(kindOf(many((i) => (i * 40_503) % 65_536))).toBe("shorts");
  expect(kindOf(many((i) => 1.7e12 + i / 1024))).toBe("times");
  expect(kindOf(many((i) => `call-${i % 2}-${i}`))).toBe("numbered");
  expect(kindOf(many((i) => (i % 3 === 0 ? "agent" : "disk")))).toBe("named");
  expect(kindOf(many((i) => i.toString(16).padStart(64, "0").replace(/\d$/, "a")))).toBe("hex");
  expect(kindOf(many((i) => `${i} times`))).toBe("texts");
  expect(kindOf(many((i) => [i]))).toBe("others");
});

test("[ST41] rows of schemas 8 to 10 are read", () => {
  const form = { opId: null, result: { seq: null, kept: [null] } };
  const values = [
    [false, "a", "b"],
    [true, 7, 2],
    [false, null, true],
  ];
  const bytes = deflateRawSync(new Encoder().encode({ forms: [{ form, values }], order: [0, 0] }));
  expect(decodeOlderRows(bytes)).toEqual([
    { opId: "a", result: { seq: 7, kept: [null] } },
    { opId: "b", result: { seq: 9, kept: [true] } },
  ]);
});
