import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitEdit } from "../../src/client/split-edit.ts";
import { Text } from "../../src/text/text.ts";
import "../helpers/seeds.ts";

const text = Text.of("one 🙂 two");

describe("a long edit in parts", () => {
  test("[CN14] has the effect of the whole edit, and its first part has at most the requested length", () => {
    const insert = fc.string({ unit: "grapheme", maxLength: 12 });
    const given = fc.tuple(
      fc.nat({ max: 3 }),
      fc.nat({ max: 2 }),
      insert,
      insert,
      fc.integer({ min: 2, max: 20 }),
    );
    fc.assert(
      fc.property(given, ([from, size, one, other, most]) => {
        const splices = [
          { from, to: from + size, insert: one },
          { from: 7, to: 8, insert: other },
        ];
        const { first, rest } = splitEdit(splices, most);
        expect(`${text.splice(first).splice(rest)}`).toBe(`${text.splice(splices)}`);
        expect(first.map((splice) => splice.insert).join("").length).toBeLessThanOrEqual(most);
      }),
    );
  });

  test("[CN14] is not cut inside a character", () => {
    expect(splitEdit([{ from: 0, to: 0, insert: "a🙂b" }], 2)).toEqual({
      first: [{ from: 0, to: 0, insert: "a" }],
      rest: [{ from: 1, to: 1, insert: "🙂b" }],
    });
  });
});
