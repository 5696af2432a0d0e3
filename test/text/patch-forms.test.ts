import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../src/text/diff/unified.ts";
import { type Placement, placePatch } from "../../src/text/patch/locate.ts";
import {
  isPatchFailure,
  type Match,
  type Patch,
  type PatchFailure,
  parsePatch,
} from "../../src/text/patch/patch.ts";
import { spliceProblem } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import { edited, spliceString } from "./language.ts";

/** The samples of patches that say less than a diff does. */
const LESS_RUNS = times(50, 4_000);
/** The samples of texts that are hardly ever patches. */
const ANY_RUNS = times(4_000, 200_000);

const names = { from: "a/x", to: "b/x" };

/** Returns the text after a patch, or the reason of its refusal. */
function outcome(base: string, source: string, match: Match): string | PatchFailure {
  const placement = land(base, source, match);
  return isPatchFailure(placement) ? placement : spliceString(base, placement.splices);
}

function land(base: string, source: string, match: Match): Placement | PatchFailure {
  const patch = parsePatch(source, match);
  return isPatchFailure(patch) ? patch : placePatch(Text.of(base), patch, match);
}

/** Returns the parts of a diff as `unifiedDiff` writes it. */
interface Parts {
  readonly names: readonly string[];
  readonly hunks: readonly { readonly header: string; readonly body: readonly string[] }[];
}

function partsOf(diff: string): Parts {
  const lines = diff.trimEnd().split("\n");
  let at = 2;
  const hunks = (parsePatch(diff) as Patch).hunks.map((hunk) => {
    const size = hunk.lines.length + hunk.lines.filter((line) => line.noNewline).length;
    const body = diff.split("\n").slice(at + 1, at + 1 + size);
    const part = { header: lines[at]!, body };
    at += 1 + size;
    return part;
  });
  return { names: lines.slice(0, 2), hunks };
}

const text = (lines: readonly string[], eol = "\n") => lines.map((line) => line + eol).join("");
const whole = ({ names, hunks }: Parts) => [
  ...names,
  ...hunks.flatMap(({ header, body }) => [header, ...body]),
];
const headed = (parts: Parts, change: (header: string) => string): Parts => ({
  names: parts.names.map(change),
  hunks: parts.hunks.map(({ header, body }) => ({ header: change(header), body })),
});
const fenced = (lines: readonly string[]) => ["```diff", ...lines, "```"];
const indented = (by: string, lines: readonly string[]) => lines.map((line) => by + line);

/** Forms with the same information as the diff. */
const same: [name: string, form: (parts: Parts) => string][] = [
  ["as it is", (parts) => text(whole(parts))],
  ["without its last line's end", (parts) => text(whole(parts)).slice(0, -1)],
  ["in CRLF", (parts) => text(whole(parts), "\r\n")],
  ["in CRLF without its last line's end", (parts) => text(whole(parts), "\r\n").slice(0, -2)],
  ["in a fence", (parts) => text(fenced(whole(parts)))],
  ["in a fence, with prose around", (parts) => text(["Here:", ...fenced(whole(parts)), "That is all."])],
  ["in a longer fence, in CRLF", (parts) => text(["~~~~", ...whole(parts), "~~~~"], "\r\n")],
  ["indented", (parts) => text(indented("    ", whole(parts)))],
  ["indented by a tab, in a fence", (parts) => text(fenced(indented("\t", whole(parts))))],
  ["indented with its fence", (parts) => text(indented(" ", fenced(whole(parts))))],
  ["without file headers", (parts) => text(whole({ ...parts, names: [] }))],
  ["behind a byte order mark", (parts) => `\ufeff${text(whole(parts))}`],
  [
    "with odd blanks in headers",
    (parts) => text(whole(headed(parts, (line) => line.replaceAll(" ", "\u00a0")))),
  ],
  ["with zero widths in headers", (parts) => text(whole(headed(parts, (line) => `\u200b${line}\u2060`)))],
  ["mailed", (parts) => text(["From: x", "", "---", " x | 2", ...whole(parts), "-- ", "2.39.5"])],
];

/** Forms with less information; a patch that becomes ambiguous is refused. */
const less: [name: string, form: (parts: Parts, n: number) => string][] = [
  ["with wrong counts", (parts, n) => text(fenced(whole(headed(parts, (line) => miscounted(line, n)))))],
  ["without counts", (parts) => text(fenced(whole(headed(parts, (line) => line.replace(/,\d+/g, "")))))],
  ["without numbers", (parts) => text(whole(headed(parts, bare)))],
  [
    "in the apply_patch format",
    (parts) =>
      text([
        ...["*** Begin Patch", "*** Update File: x"],
        ...whole({ ...headed(parts, bare), names: [] }),
        "*** End Patch",
      ]),
  ],
];

const bare = (line: string) => line.replace(/^@@.*/, "@@");
const miscounted = (line: string, n: number) =>
  line.replace(/,(\d+)/g, (_all, count) => `,${Math.max(0, Number(count) + n)}`);

describe("the same patch in other forms", () => {
  for (const match of ["strict", "tolerant"] as const) {
    for (const [name, form] of same)
      test(`[PA28] ${name}, ${match}: the result is the same`, () => {
        fc.assert(
          fc.property(edited, fc.nat(4), ([base, updated], context) => {
            fc.pre(base !== updated);
            const parts = partsOf(unifiedDiff(base, updated, { ...names, context }));
            expect(outcome(base, form(parts), match)).toBe(updated);
          }),
          { numRuns: times(20, 1_500), examples: [[["", "a"], 0]] },
        );
      });

    for (const [name, form] of less)
      test(`[PA55] ${name}, ${match}: the result is the same, or the patch is refused`, () => {
        let same = 0;
        fc.assert(
          fc.property(edited, fc.nat(4), fc.integer({ min: -3, max: 3 }), ([base, updated], context, n) => {
            fc.pre(base !== updated);
            const parts = partsOf(unifiedDiff(base, updated, { ...names, context }));
            const result = outcome(base, form(parts, n), match);
            if (typeof result !== "string") return;
            expect(result).toBe(updated);
            same++;
          }),
          { numRuns: LESS_RUNS },
        );
        expect(same).toBeGreaterThan(LESS_RUNS / 4);
      });
  }
});

describe("a diff of two texts", () => {
  test("[PA29] placed tolerantly, it turns one text into the other without fuzz", () => {
    fc.assert(
      fc.property(edited, fc.nat(4), ([base, updated], context) => {
        fc.pre(base !== updated);
        const patch = parsePatch(unifiedDiff(base, updated, { ...names, context }), "tolerant") as Patch;
        const placement = placePatch(Text.of(base), patch, "tolerant");
        if (isPatchFailure(placement)) throw new Error(placement.message);
        expect(placement).toMatchObject({ fuzz: 0, maxOffset: 0 });
        expect(spliceString(base, placement.splices)).toBe(updated);
      }),
      { numRuns: times(150, 10_000) },
    );
  });

  test("[PA29] whatever white space the document has, its context stays and the change is applied", () => {
    const blank = fc.constantFrom(" ", "  ", "\t", " \t ");
    const words = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), blank, blank), {
      minLength: 3,
      maxLength: 12,
    });
    fc.assert(
      fc.property(words, fc.nat(11), (lines, at) => {
        const place = at % lines.length;
        const theirs = lines.map(([word, left, right]) => `${left}${word}${right}${place}\n`);
        const base = lines.map(([word]) => ` ${word} ${place}\n`);
        const patch = unifiedDiff(base.join(""), base.with(place, "new\n").join(""), {
          ...names,
          context: 20,
        });
        expect(outcome(theirs.join(""), patch, "tolerant")).toBe(theirs.with(place, "new\n").join(""));
      }),
      { numRuns: times(50, 3_000) },
    );
  });
});

test("[PA22, PL23] any text as a patch gets a result, and a strict match places hunks as a tolerant one does", () => {
  const line = fc.constantFrom(
    ...[" a", "-a", "+a", " b", "-b", "+b", " a\t", "-  b", " ", "", "+", "-", "\t", "  a", "prose", "> x"],
    ...["@@", "@@ a", "@@ -1 +1 @@", "@@ -1,2 +1,2 @@", "@@ -2,0 +3,2 @@", "  @@ -1 +1 @@", "@@ -0,0 +1 @@"],
    ...["```", "```diff", "~~~", "*** Begin Patch", "*** Update File: x", "*** End Patch", "*** End of File"],
    ...[
      "--- a/x",
      "+++ b/x",
      "diff --git a/x b/x",
      "\\ No newline at end of file",
      "-- ",
      "\ufeff@@",
      " a\r",
      "\r",
    ],
  );
  const base = fc.array(fc.constantFrom("a\n", "b\n", "\n", "a\r\n", " b \n", "\tb\n"), { maxLength: 6 });
  const placed = { strict: 0, tolerant: 0 };
  fc.assert(
    fc.property(
      base,
      fc.array(line, { maxLength: 12 }),
      fc.constantFrom("", "a", " "),
      (lines, patch, end) => {
        const text = lines.join("") + end;
        const strict = land(text, patch.join("\n"), "strict");
        const tolerant = land(text, patch.join("\n"), "tolerant");
        if (!isPatchFailure(strict)) {
          placed.strict++;
          expect(tolerant).toEqual(strict);
        }
        if (isPatchFailure(tolerant)) return;
        placed.tolerant++;
        expect(spliceProblem(tolerant.splices, text.length)).toBeUndefined();
      },
    ),
    { numRuns: ANY_RUNS },
  );
  expect(placed.strict).toBeGreaterThan(ANY_RUNS / 400);
  expect(placed.tolerant).toBeGreaterThan(placed.strict);
});
