import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coarsen } from "../../src/text/coarsen.ts";
import { normalize } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";

const every = (step: number, size: number) =>
  Array.from({ length: size }, (_, i) => ({ from: i * step, to: i * step + 1, insert: "X" }));

describe("too many splices", () => {
  test("[TX7] become fewer: the nearest are joined and reinsert the text between them", () => {
    const text = Text.of("a-b--c---d");
    const splices = [0, 2, 5, 9].map((from) => ({ from, to: from + 1, insert: "X" }));
    expect(coarsen(splices, text, 4)).toEqual(splices);
    expect(coarsen(splices, text, 2)).toEqual([
      { from: 0, to: 6, insert: "X-X--X" },
      { from: 9, to: 10, insert: "X" },
    ]);
  });

  test("[TX7] have the same effect as before", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
        fc.array(fc.tuple(fc.nat(60), fc.nat(3), fc.string({ maxLength: 3 })), { maxLength: 20 }),
        fc.integer({ min: 1, max: 10 }),
        (content, drawn, most) => {
          const text = Text.of(content);
          let last = 0;
          const splices = normalize(
            drawn
              .map(([at, size, insert]) => ({ from: at, to: Math.min(at + size, text.chars), insert }))
              .filter(({ from, to }) => from <= to)
              .sort((a, b) => a.from - b.from || a.to - b.to)
              .filter(({ from, to }) => {
                if (from < last) return false;
                last = to;
                return true;
              }),
          );
          const coarse = coarsen(splices, text, most);
          expect(coarse.length).toBeLessThanOrEqual(most);
          expect(text.splice(coarse).toString()).toBe(text.splice(splices).toString());
        },
      ),
    );
  });

  test("[TX7] a hundred thousand become four thousand", () => {
    const text = Text.of("ab".repeat(100_000));
    const coarse = coarsen(every(2, 100_000), text, 4_000);
    expect(coarse).toHaveLength(4_000);
    expect(text.splice(coarse).toString()).toBe("Xb".repeat(100_000));
  });
});
