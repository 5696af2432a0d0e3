import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CountedText } from "../../src/text/find/counted-text.ts";
import { Needle } from "../../src/text/needle.ts";
import { Text } from "../../src/text/text.ts";

const few = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 150 });

describe("a needle", () => {
  test("[TX4] is found where String.indexOf finds it", () => {
    fc.assert(
      fc.property(few, few, fc.nat(5), (start, part, times) => {
        const text = start + part.repeat(times) + start.slice(0, 20) + part;
        for (const needle of [part, part.repeat(2), start + part, part + start.slice(1)])
          for (const from of [0, 7])
            if (needle !== "")
              expect(new Needle(needle).indexIn(text, from)).toBe(text.indexOf(needle, from));
      }),
    );
  });

  test("[TX4] is found across any number of leaves", () => {
    const part = "one \u{1f600} line\n".repeat(3_000);
    const text = Text.of(`é${part}|${part}|`);
    expect([...text.matches(`${part}|`)]).toEqual([1, 1 + 11 * 3_000 + 1]);
    expect([...text.matches("\u{1f600} line\none ".repeat(100))]).toHaveLength(58);
  });

  test("[TX6] is searched for with at most a few reads of each character", () => {
    const many = "a".repeat(10_000);
    for (const needle of [`${many}b${many}`, `${many}b`, `b${many}`, `${"ab".repeat(5_000)}b${many}`, many])
      for (const text of ["a".repeat(50_000), `${many}b`.repeat(5), "ab".repeat(30_000)]) {
        // The text throws when its characters are read more often.
        const counted = new CountedText(text, 3 * text.length);
        new Needle(needle).indexIn(counted as unknown as string);
      }
  });
});
