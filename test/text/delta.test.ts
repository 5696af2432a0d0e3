import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compose, composeAll, mapPosition, rebase } from "../../src/text/delta.ts";
import { invert, type Splice, spliceProblem } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { chars, edit, spliceString, splicesFor, unicode } from "./language.ts";

const twoEdits = unicode({ maxLength: 20 }).chain((s) =>
  fc.tuple(fc.constant(s), splicesFor(s, 3), splicesFor(s, 3)),
);

/** Returns the text after both edits of one base, written in the edit language. */
function merged(ours: string, theirs: string): string {
  const a = edit(ours);
  const b = edit(theirs);
  expect(a.base).toBe(b.base);
  return spliceString(spliceString(b.base, b.splices), rebase(a.splices, b.splices).splices);
}

describe("compose", () => {
  test("[DL1] has the effect of both lists in sequence", () => {
    fc.assert(
      fc.property(
        unicode({ maxLength: 20 }).chain((s) =>
          splicesFor(s, 3).chain((first) =>
            fc.tuple(fc.constant(s), fc.constant(first), splicesFor(spliceString(s, first), 3)),
          ),
        ),
        ([s, first, second]) => {
          const both = compose(first, second);
          expect(spliceProblem(both, chars(s).length)).toBeUndefined();
          expect(spliceString(s, both)).toBe(spliceString(spliceString(s, first), second));
        },
      ),
      { numRuns: times(150, 10_000) },
    );
  });

  test("[DL1] of many lists is that of the first with all others, in any grouping", () => {
    const edited = (s: string, times: number): fc.Arbitrary<Splice[][]> =>
      times === 0
        ? fc.constant([])
        : splicesFor(s, 3).chain((edit) =>
            edited(spliceString(s, edit), times - 1).map((rest) => [edit, ...rest]),
          );
    fc.assert(
      fc.property(
        unicode({ maxLength: 12 }).chain((s) =>
          fc.tuple(
            fc.constant(s),
            fc.nat(7).chain((times) => edited(s, times)),
          ),
        ),
        ([s, edits]) => {
          const all = composeAll(edits);
          expect(all).toEqual(edits.reduce<Splice[]>((sum, edit) => compose(sum, edit), []));
          expect(spliceString(s, all)).toBe(edits.reduce(spliceString, s));
        },
      ),
      { numRuns: times(150, 10_000) },
    );
  });
});

describe("rebase", () => {
  const cases: [name: string, ours: string, theirs: string, result: string][] = [
    ["far apart, both stay", "one [two|2] three four", "one two three [four|4]", "one 2 three 4"],
    ["at one place theirs comes first", "a[|x]b", "a[|y]b", "ayxb"],
    ["a range that both sides deleted is deleted once", "a[bc|]d", "ab[cd|]", "a"],
    ["an insert inside a deletion stays", "a[bcd|]e", "abc[|X]de", "aXe"],
    ["an insert where theirs deleted stays", "ab[|X]cd", "a[bc|]d", "aXd"],
    [
      "an identical edit of both sides is applied once",
      "say [hi|hello] now",
      "say [hi|hello] now",
      "say hello now",
    ],
    ["different replacements of one word both stay", "say [hi|hello]", "say [hi|bye]", "say byehello"],
    ["a replacement over a deletion keeps the new text", "a[bc|X]d", "[abcd|]", "X"],
  ];
  for (const [name, ours, theirs, result] of cases)
    test(`[DL2, DL6] ${name}`, () => expect(merged(ours, theirs)).toBe(result));

  test("[DL2] loses no inserted character of either side, and is in range", () => {
    fc.assert(
      fc.property(twoEdits, ([s, ours, theirs]) => {
        const after = spliceString(s, theirs);
        const { splices } = rebase(ours, theirs);
        expect(spliceProblem(splices, chars(after).length)).toBeUndefined();
        const result = chars(spliceString(after, splices));
        const theirKeys = new Set(theirs.map((t) => `${t.from},${t.to},${t.insert}`));
        const inserted = [...theirs, ...ours.filter((o) => !theirKeys.has(`${o.from},${o.to},${o.insert}`))];
        for (const { insert } of inserted) for (const c of chars(insert)) expect(result).toContain(c);
        expect(result.length).toBeGreaterThanOrEqual(
          chars(inserted.map((i) => i.insert).join("")).length - s.length,
        );
      }),
      { numRuns: times(75, 5_000) },
    );
  });

  test("[DL3] overlaps name both sides, edits that only touch do not overlap", () => {
    const overlaps = (a: string, b: string) => rebase(edit(a).splices, edit(b).splices).overlaps.length;
    expect(overlaps("a[bc|X]d", "ab[cd|Y]")).toBe(1);
    expect(overlaps("a[bc|X]d", "ab[|Y]cd")).toBe(1);
    expect(overlaps("a[b|X]cd", "ab[c|Y]d")).toBe(0);
    expect(overlaps("a[|X]b", "a[|Y]b")).toBe(0);
  });
});

describe("positions and inverses", () => {
  test("[DL2] two edits rebased over each other with the same side first lead to one text", () => {
    fc.assert(
      fc.property(twoEdits, ([s, ours, theirs]) => {
        const over = spliceString(spliceString(s, theirs), rebase(ours, theirs).splices);
        expect(spliceString(spliceString(s, ours), rebase(theirs, ours, "ours").splices)).toBe(over);
      }),
    );
  });

  test("[DL4] the inverse undoes an edit", () => {
    fc.assert(
      fc.property(twoEdits, ([s, splices]) => {
        const text = Text.of(s);
        const back = invert(splices, text.removed(splices));
        expect(text.splice(splices).splice(back).toString()).toBe(s);
      }),
    );
  });

  test("[DL5] a position moves with the text around it", () => {
    const { splices } = edit("one [two|twenty] three[|!]");
    expect(mapPosition(2, splices, "before")).toBe(2);
    expect(mapPosition(8, splices, "before")).toBe(11);
    expect(mapPosition(13, splices, "before")).toBe(16);
    expect(mapPosition(13, splices, "after")).toBe(17);
  });
});
