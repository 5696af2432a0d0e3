import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { merge } from "../../src/text/merge/merge.ts";
import { type MergedEdits, mergeEdits } from "../../src/text/merge/merge-edits.ts";
import { tokenEdges } from "../../src/text/merge/tokens.ts";
import { normalize, type Splice, spliceProblem } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { chars, edit, spliceString, splicesFor, unicode } from "./language.ts";

/** Returns the tokens of a text, white space left out. */
function tokens(text: string): string[] {
  return ranges(text).map(({ from, to }) => chars(text).slice(from, to).join(""));
}

/** Merges two edits of one base, written in the edit language. */
function merged(ours: string, theirs: string): MergedEdits & { readonly text: string } {
  const [own, other] = [edit(ours), edit(theirs)];
  expect(own.base).toBe(other.base);
  const base = Text.of(own.base);
  const edits = mergeEdits(base, own.splices, other.splices);
  return { ...edits, text: base.splice(other.splices).splice(edits.splices).toString() };
}

const TOKEN = fc.constantFrom(
  ..."one two three foo bar x y 1 2 12 500 007 1.2 ^7.1.0 ~7.1.2 v2.0.1-beta.4 >=3 10_000 1,000 -5 0x1F 1e-5".split(
    " ",
  ),
  ..."2026-11-22 12:30 #ff0066 50% https://a.b/c?d=1 foo.bar a-b don't café 漢字 😀 $9.99 sha512-ab+c/d==".split(
    " ",
  ),
);
const GAP = fc.constantFrom(
  " ",
  " ",
  " ",
  ", ",
  ".",
  ":",
  "-",
  "/",
  ",",
  "=",
  '": "',
  "(",
  "\n",
  "+",
  "  ",
  "",
);

/** A text of tokens and gaps, and edits of it by the tokens' numbers. */
const lines = fc
  .array(fc.tuple(TOKEN, GAP), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.map(([token, gap]) => token + gap).join(""));

/** Returns the ranges of a text's tokens, in code points. */
function ranges(text: string): { readonly from: number; readonly to: number }[] {
  const edges = tokenEdges(text);
  const starts = [...edges.keys()].filter((at) => edges[at] === 1);
  return starts
    .slice(0, -1)
    .map((from, i) => ({ from, to: starts[i + 1]! }))
    .filter(({ from, to }) => chars(text).slice(from, to).join("").trim() !== "");
}

/** Edits that replace, delete and insert whole tokens. */
function edited(base: string): fc.Arbitrary<Splice[]> {
  const kind = fc.constantFrom("replace", "replace", "delete", "insert", "append");
  const changes = ranges(base).map(({ from, to }) =>
    fc.option(fc.tuple(kind, TOKEN), { freq: 2 }).map((change): Splice[] => {
      if (change === null) return [];
      const [how, token] = change;
      if (how === "insert") return [{ from, to: from, insert: token }];
      if (how === "append") return [{ from: to, to, insert: ` ${token}` }];
      return [{ from, to, insert: how === "delete" ? "" : token }];
    }),
  );
  return fc.tuple(...changes).map((all) => normalize(all.flat()));
}

const both = lines.chain((base) => fc.tuple(fc.constant(base), edited(base), edited(base)));

/** A URL that takes in the letters behind it, also those of a script without spaces. */
const URL_BEFORE_HAN: [string, Splice[], Splice[]] = [
  "café=0x1F  0x1F+漢字\n12\nbar+don't 50%, ",
  [
    { from: 4, to: 5, insert: "one" },
    { from: 11, to: 15, insert: "https://a.b/c?d=1" },
  ],
  [{ from: 5, to: 9, insert: "one" }],
];

/** A line of words, each of which one side may have replaced. */
const sentence = fc.array(
  fc.record({
    word: fc.constantFrom(..."the quick brown fox jumps 12 3.4 ^7.1.0".split(" ")),
    own: fc.option(fc.constantFrom("alpha", "beta", "70"), { freq: 3 }),
    other: fc.option(fc.constantFrom("gamma", "delta", "80"), { freq: 3 }),
  }),
  { minLength: 2, maxLength: 8 },
);

describe("close merges", () => {
  test("[MG15] no token of a merge is in neither text", () => {
    fc.assert(
      fc.property(both, ([base, own, other]) => {
        const [ours, theirs] = [spliceString(base, own), spliceString(base, other)];
        const known = new Set([base, ours, theirs].flatMap(tokens));
        const direct = Text.of(theirs)
          .splice(mergeEdits(Text.of(base), own, other).splices)
          .toString();
        for (const text of [direct, merge(base, ours, theirs).text])
          expect(
            tokens(text).filter((token) => !known.has(token)),
            JSON.stringify(text),
          ).toEqual([]);
      }),
      { numRuns: times(150, 50_000), examples: [[URL_BEFORE_HAN]] },
    );
  });

  test("[MG18, MG19] a merge is told of exactly where both sides changed one word or words side by side", () => {
    fc.assert(
      fc.property(sentence, (words) => {
        const line = (side: (word: (typeof words)[number]) => string) => `${words.map(side).join(" ")}\n`;
        const [base, ours, theirs] = [
          line(({ word }) => word),
          line(({ word, own }) => own ?? word),
          line(({ word, other }) => other ?? word),
        ] as const;
        const splices = (side: "own" | "other") => {
          let at = 0;
          return words.flatMap((word) => {
            const from = at;
            at += word.word.length + 1;
            const insert = word[side];
            return insert === null ? [] : [{ from, to: at - 1, insert }];
          });
        };
        const changed = (i: number, side: "own" | "other") => (words[i]?.[side] ?? null) !== null;
        const meets = words.some(
          (_, i) => changed(i, "own") && [i - 1, i, i + 1].some((near) => changed(near, "other")),
        );
        const { overlaps, close } = mergeEdits(Text.of(base), splices("own"), splices("other"));
        expect(overlaps.length + close.length > 0).toBe(meets);
        if (meets) expect(merge(base, ours, theirs).conflicts.length).toBeGreaterThan(0);
      }),
      { numRuns: times(300, 20_000) },
    );
  });

  test("[MG12] no inserted letter is lost, and identical edits count once", () => {
    const pairs = unicode({ maxLength: 30 }).chain((s) =>
      fc.tuple(fc.constant(s), splicesFor(s), splicesFor(s)),
    );
    fc.assert(
      fc.property(pairs, ([s, own, other]) => {
        const base = Text.of(s);
        const { splices } = mergeEdits(base, own, other);
        const after = base.splice(other);
        expect(spliceProblem(splices, after.chars)).toBeUndefined();
        const text = after.splice(splices).toString();
        const keys = new Set(other.map(({ from, to, insert }) => `${from},${to},${insert}`));
        const mine = own.filter(({ from, to, insert }) => !keys.has(`${from},${to},${insert}`));
        for (const { insert } of [...mine, ...other])
          for (const c of chars(insert)) expect(chars(text)).toContain(c);
        expect(mergeEdits(base, own, own).splices).toEqual([]);
      }),
      { numRuns: times(150, 10_000) },
    );
  });

  const cases: [
    name: string,
    ours: string,
    theirs: string,
    text: string,
    told: "overlap" | "close" | "quiet",
  ][] = [
    ["two versions", '"x": "^7.1.[1|20]"', '"x": "^7.1.1[|2]"', '"x": "^7.1.12 ^7.1.20"', "overlap"],
    ["two letters of a word", "[c|b]at", "ca[t|p]", "cap bat", "overlap"],
    ["a word and its deletion", "a [word |]b", "a w[o|a]rd b", "a ward b", "overlap"],
    [
      "a word and the word beside it",
      "the [quick|slow] brown fox",
      "the quick [brown|red] fox",
      "the slow red fox",
      "close",
    ],
    ["words with a word between them", "[the|a] quick fox", "the quick [fox|cat]", "a quick cat", "quiet"],
    ["words with a mark between them", "[foo|bar].baz", "foo.[baz|qux]", "bar.qux", "quiet"],
    ["words of two lines", "one [two|2]\nthree", "one two\n[three|3]", "one 2\n3", "quiet"],
    ["a comma beside a number", "x: [1|2]\n", "x: 1[|,]\n", "x: 2,\n", "quiet"],
    ["indentation and the first word", "[|  ]one two", "[one|1] two", "  1 two", "quiet"],
    ["two indentations", "[|  ]one", "[|    ]one", "      one", "close"],
    ["two entries of one key", "[|a = 1\n]b = 2\n", "[|a = 3\n]b = 2\n", "a = 3\na = 1\nb = 2\n", "close"],
    [
      "two last entries",
      "{\n  a: 1[|,]\n[|  b: 2\n]}\n",
      "{\n  a: 1[|,]\n[|  c: 3\n]}\n",
      "{\n  a: 1,\n  c: 3\n  b: 2\n}\n",
      "close",
    ],
    ["two entries", "[|a = 1\n]b = 2\n", "[|c = 3\n]b = 2\n", "c = 3\na = 1\nb = 2\n", "quiet"],
  ];
  for (const [name, ours, theirs, text, told] of cases)
    test(`[MG16, MG17, MG18, MG19, MG20, MG22, MG23, MG24] ${name}: ${told}`, () => {
      const result = merged(ours, theirs);
      expect(result.text).toBe(text);
      const found = result.overlaps.length > 0 ? "overlap" : result.close.length > 0 ? "close" : "quiet";
      expect(found).toBe(told);
    });

  const wholes = [
    "1.2.3-beta.4",
    "^7.1.20",
    ">=1.2",
    "10_000",
    "10,000",
    "0x1F",
    "2026-11-22",
    "2026-11-22T12:30:00Z",
    "12:30",
    "1e-5",
    "50%",
    "deadbeef01",
    "#ff0066",
    "https://a.b/c?d=1#e",
    "sha512-ab+c/d==",
    "v2.0",
    "1.*",
    "café",
    "snake_case_2",
    "👨‍👩‍👧",
  ];
  for (const whole of wholes)
    test(`[MG21] ${whole} is one token`, () => expect(tokens(`"${whole}" `)).toEqual(['"', whole, '"']));

  test("[MG21] names with marks between them, and characters of scripts without spaces, are several tokens", () => {
    expect(tokens("foo.bar(a-b, x=1) 漢字")).toEqual([..."foo . bar ( a - b , x = 1 ) 漢 字".split(" ")]);
  });

  test("[MG14] many meetings on one line are merged in bounded time", () => {
    const words = "a1.b ".repeat(10_000);
    const own = Array.from({ length: 10_000 }, (_, i) => ({ from: 5 * i, to: 5 * i + 1, insert: "c" }));
    const other = Array.from({ length: 10_000 }, (_, i) => ({ from: 5 * i + 1, to: 5 * i + 2, insert: "2" }));
    expect(mergeEdits(Text.of(words), own, other).overlaps).toHaveLength(10_000);
    const none = [{ from: 0, to: 50_000, insert: "" }];
    expect(mergeEdits(Text.of(words), none, other).overlaps).toHaveLength(10_000);
  });
});
