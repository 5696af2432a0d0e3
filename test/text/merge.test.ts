import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { merge } from "../../src/text/merge/merge.ts";
import { spliceProblem } from "../../src/text/splice.ts";
import { times } from "../e2e/long.ts";
import { Seeded } from "../helpers/seeded.ts";
import { chars, edit, spliceString, splicesFor, unicode } from "./language.ts";

type Triple = readonly [base: string, ours: string, theirs: string];

/** Returns the texts of two edits of one base, written in the edit language. */
function triple(ours: string, theirs: string): Triple {
  const own = edit(ours);
  const other = edit(theirs);
  expect(own.base).toBe(other.base);
  return [own.base, spliceString(own.base, own.splices), spliceString(other.base, other.splices)];
}

/** Texts with two edits of each; an edit inserts the result of `insert` for its side. */
function triples(
  base: fc.Arbitrary<string>,
  insert: (side: 0 | 1) => fc.Arbitrary<string>,
): fc.Arbitrary<Triple> {
  const edited = (s: string, side: 0 | 1) =>
    splicesFor(s).chain((splices) =>
      fc.array(insert(side), { minLength: splices.length, maxLength: splices.length }).map((inserts) =>
        spliceString(
          s,
          splices.map((splice, i) => ({ ...splice, insert: inserts[i]! })),
        ),
      ),
    );
  return base.chain((s) => fc.tuple(fc.constant(s), edited(s, 0), edited(s, 1)));
}

const base = fc.oneof(unicode({ maxLength: 60 }), unicode({ maxLength: 12, repeat: 12 }));
const any = triples(base, () => unicode({ maxLength: 4 }));

describe("fixtures/merges", () => {
  const folder = new URL("../../fixtures/merges/", import.meta.url);
  for (const name of readdirSync(folder))
    test(`[MG9] ${name}`, () => {
      const read = (file: string) => readFileSync(new URL(`${name}/${file}`, folder), "utf8");
      const { text, conflicts } = merge(read("base"), read("ours"), read("theirs"));
      expect(text).toBe(read("expected"));
      const expected = existsSync(new URL(`${name}/conflicts.json`, folder)) ? read("conflicts.json") : "[]";
      expect(conflicts).toEqual(JSON.parse(expected));
    });
});

describe("merge", () => {
  test("[MG2] changes of one line that differ in place are merged by characters", () => {
    const { text, conflicts } = merge(...triple("the [quick|slow] brown fox", "the quick brown [fox|cat]"));
    expect(text).toBe("the slow brown cat");
    expect(conflicts).toEqual([]);
  });

  test("[MG10] at one place ours comes first", () =>
    expect(merge(...triple("a\n[|ours\n]b\n", "a\n[|theirs\n]b\n"))).toMatchObject({
      text: "a\nours\ntheirs\nb\n",
      conflicts: [],
    }));

  test("[MG3] an identical edit beside others of the same region is applied once", () =>
    expect(merge(...triple("[one|1] line\n[two|2] lines\n", "[one|1] line\ntwo [lines|rows]\n")).text).toBe(
      "1 line\n2 rows\n",
    ));

  test("[MG11] when one side inserts the other's lines and more, only the rest is added", () => {
    const short = "a\n[|new\n]b\n";
    const long = "a\n[|new\nnewer\n]b\n";
    for (const sides of [triple(short, long), triple(long, short)])
      expect(merge(...sides).text).toBe("a\nnew\nnewer\nb\n");
  });

  test("[MG3] lines with only an equal beginning are two insertions", () =>
    expect(merge(...triple("a\n[|new one\n]b\n", "a\n[|new two\n]b\n")).text).toBe(
      "a\nnew one\nnew two\nb\n",
    ));

  test("[MG4] a line inserted several times differs from an edit that inserts it more often", () => {
    const times = (n: number) => `head\n${"x\n".repeat(n)}tail\n`;
    for (const ours of [1, 2, 3, 4])
      for (const theirs of [1, 2, 3, 4]) {
        const { text } = merge(times(0), times(ours), times(theirs));
        expect(text.split("x\n").length - 1).toBeGreaterThanOrEqual(Math.max(ours, theirs));
      }
  });

  test("[MG4] a word that both sides replaced is reported with both splices, and the text has both words", () =>
    expect(merge(...triple("\u{1f600} one [two|six] three", "\u{1f600} one [two|any] three"))).toEqual({
      splices: [{ from: 9, to: 9, insert: " any" }],
      text: "\u{1f600} one six any three",
      conflicts: [{ ours: { from: 6, to: 9, insert: "six" }, theirs: { from: 6, to: 9, insert: "any" } }],
    }));

  test("[MG12] text that either side inserted is neither lost nor duplicated, and stays in order", () => {
    const inserted = (side: 0 | 1) =>
      fc.array(fc.constantFrom(...(side === 0 ? "AB\u{1f170}" : "XY\u{1f17e}"), "\n", " "), { maxLength: 5 });
    const only = (s: string, letters: string) =>
      chars(s)
        .filter((c) => letters.includes(c))
        .join("");
    fc.assert(
      fc.property(
        triples(base, (side) => inserted(side).map((all) => all.join(""))),
        ([b, ours, theirs]) => {
          const { text } = merge(b, ours, theirs);
          expect(only(text, "AB\u{1f170}")).toBe(only(ours, "AB\u{1f170}"));
          expect(only(text, "XY\u{1f17e}")).toBe(only(theirs, "XY\u{1f17e}"));
        },
      ),
      { numRuns: times(150, 10_000) },
    );
  });

  test("[MG25] what both sides inserted into short lines is there once, however much it is", () => {
    const base = "one:\ntwo: «42»\nthree:\n";
    const heads = ["one:", "two:", "three:"];
    /** Inserts a mark for each number, after the head of a line. */
    const inserting = (start: number, places: readonly number[]) =>
      places.reduce((text, at, i) => text.replace(heads[at]!, `${heads[at]} «${start + i}»`), base);
    const places = fc.array(fc.nat(2), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(places, places, (own, other) => {
        const [ours, theirs] = [inserting(100, own), inserting(200, other)];
        const { text } = merge(base, ours, theirs);
        const marks = (s: string) => (s.match(/«\d+»/g) ?? []).sort();
        expect(marks(text)).toEqual(marks(`«42»${(ours + theirs).replaceAll("«42»", "")}`));
        expect(text.length).toBe(ours.length + theirs.length - base.length);
      }),
      { numRuns: times(75, 5_000) },
    );
  });

  test("[MG25] a quoted word that both sides put quoted words beside is there once", () => {
    const [before, behind] = ["“the first letter”", "“and the last” "];
    const ours = `[|${before}]“alphabet”[|${behind}]`;
    const theirs = "[|“a word” ]“alphabet”[|—the “end of it”]";
    expect(merge(...triple(ours, theirs)).text).toBe(`${before}“a word” “alphabet”—the “end of it”${behind}`);
  });

  test("[MG4] a conflict's splices are in range of the base, and the text contains their inserts", () => {
    fc.assert(
      fc.property(any, ([b, ours, theirs]) => {
        const { text, conflicts } = merge(b, ours, theirs);
        for (const conflict of conflicts) {
          for (const splice of [conflict.ours, conflict.theirs]) {
            expect(spliceProblem([splice], chars(b).length)).toBeUndefined();
            expect(text).toContain(splice.insert);
          }
        }
      }),
      { numRuns: times(150, 10_000) },
    );
  });

  test("[MG5] the splices turn ours into the text", () => {
    fc.assert(
      fc.property(any, ([b, ours, theirs]) => {
        const { splices, text } = merge(b, ours, theirs);
        expect(spliceProblem(splices, chars(ours).length)).toBeUndefined();
        expect(spliceString(ours, splices)).toBe(text);
      }),
      { numRuns: times(150, 10_000) },
    );
  });

  test("[MG13] only the characters that theirs changed are touched", () => {
    const { splices } = merge(...triple("[|new\n]a\nb\nthe d\n", "a\nb\nthe d[|og]\n"));
    expect(splices).toEqual([{ from: 13, to: 13, insert: "og" }]);
  });

  test("[MG6] when one side changed nothing, or both made the same change, the other side's text is the result", () => {
    fc.assert(
      fc.property(any, ([b, x]) => {
        for (const sides of [
          [b, x, b],
          [b, b, x],
          [b, x, x],
        ] as const)
          expect(merge(...sides)).toMatchObject({ text: x, conflicts: [] });
      }),
      { numRuns: times(75, 5_000) },
    );
  });

  const cases: [name: string, ours: string, theirs: string, text: string][] = [
    ["CRLF", "[one|1]\r\ntwo\r\n", "one\r\n[two|2]\r\n", "1\r\n2\r\n"],
    ["a missing final newline", "[one|1]\ntwo", "one\n[two|2]", "1\n2"],
    ["a final newline that one side took off", "[one|1]\ntwo\n", "one\ntwo[\n|]", "1\ntwo"],
    [
      "an emoji",
      "\u{1f600}[|!] and \u{1f601}",
      "\u{1f600} and [\u{1f601}|\u{1f602}]",
      "\u{1f600}! and \u{1f602}",
    ],
    ["a text that was empty", "[|ours]", "[|theirs]", "ours theirs"],
    ["a text that both emptied", "[all\n|]", "[all\n|]", ""],
  ];
  for (const [name, ours, theirs, text] of cases)
    test(`[MG7] ${name}`, () => expect(merge(...triple(ours, theirs)).text).toBe(text));

  test("[MG14] hostile texts are merged in bounded time", () => {
    const random = new Seeded(1);
    const few = () => Array.from({ length: 20_000 }, () => `${random.int(3)}\n`).join("");
    const cases: Triple[] = [
      [few(), few(), few()],
      ["x\n".repeat(40_000), "x\n".repeat(80_000), "x\n".repeat(20_000)],
      ["ab".repeat(30_000), "ba".repeat(30_000), "aab".repeat(20_000)],
      ["\n".repeat(30_000), " \n".repeat(30_000), "\r\n".repeat(30_000)],
    ];
    for (const [b, ours, theirs] of cases) {
      const { splices, text } = merge(b, ours, theirs);
      expect(spliceString(ours, splices) === text).toBe(true);
    }
  });

  test("[MG8] ten thousand lines that both sides changed are merged by words", () => {
    const text = (first: string, last: string) => `${first} and ${last}\n`.repeat(10_000);
    const merged = merge(text("one", "two"), text("1", "two"), text("one", "2"));
    expect(merged).toMatchObject({ text: text("1", "2"), conflicts: [] });
  });
});
