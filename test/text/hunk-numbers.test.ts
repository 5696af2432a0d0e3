import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hunkNumbers } from "../../src/text/diff/hunk-numbers.ts";
import { hunkSplices } from "../../src/text/diff/numbered.ts";
import type { Splice } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";

const LINES = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`);
const BASE = LINES.join("");
const changed = (...at: number[]) => LINES.map((line, i) => (at.includes(i + 1) ? line.toUpperCase() : line));
const FIRST = hunkSplices(BASE, changed(5, 20, 35).join(""));

/** Returns the numbers of the hunks that lead from one text to another; `since` leads from the base to the first. */
function numbersOf(since: readonly Splice[], updated: string): number[] {
  const now = Text.of(BASE).splice(since).toString();
  return hunkNumbers(FIRST, since, hunkSplices(now, updated));
}

describe("the numbers of hunks", () => {
  test("[PO48] stay after some were approved, and after lines above them were added", () => {
    expect(numbersOf([], changed(5, 20, 35).join(""))).toEqual([1, 2, 3]);
    expect(numbersOf(FIRST[0]!, changed(5, 20, 35).join(""))).toEqual([2, 3]);
    expect(numbersOf(FIRST[1]!, changed(5, 20, 35).join(""))).toEqual([1, 3]);
    const above = [{ from: 0, to: 0, insert: "a\nb\n" }];
    expect(numbersOf(above, `a\nb\n${changed(5, 20, 35).join("")}`)).toEqual([1, 2, 3]);
  });

  test("[PO48] are new for hunks that grew together", () => {
    const from = LINES.slice(0, 6).join("").length;
    const to = LINES.slice(0, 18).join("").length;
    const cut = (lines: string[]) => [...lines.slice(0, 6), ...lines.slice(18)].join("");
    expect(numbersOf([{ from, to, insert: "" }], cut(changed(5, 20, 35)))).toEqual([4, 3]);
  });

  test("[PO48] are new for the parts of a hunk that fell apart", () => {
    const first = hunkSplices(BASE, changed(5, 8, 35).join(""));
    const from = LINES.slice(0, 6).join("").length;
    const insert = "x\n".repeat(20);
    const now = Text.of(BASE)
      .splice([{ from, to: from, insert }])
      .toString();
    const lines = changed(5, 8, 35);
    const updated = [...lines.slice(0, 6), insert, ...lines.slice(6)].join("");
    expect(hunkNumbers(first, [{ from, to: from, insert }], hunkSplices(now, updated))).toEqual([3, 4, 2]);
  });

  test("[PO48] of the hunks that are left are their first ones, whichever were approved", () => {
    const places = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(places, fc.infiniteStream(fc.boolean()), fc.constantFrom(0, 1, 3), (at, draws, context) => {
        const updated = changed(...at).join("");
        const hunks = hunkSplices(BASE, updated, context);
        const isApproved = hunks.map(() => draws.next().value as boolean);
        const approved = hunks.filter((_, i) => isApproved[i]).flat();
        const left = hunks.flatMap((_, i) => (isApproved[i] ? [] : [i + 1]));
        const now = Text.of(BASE).splice(approved).toString();
        expect(hunkNumbers(hunks, approved, hunkSplices(now, updated, context))).toEqual(left);
      }),
      { numRuns: times(100, 2000) },
    );
  });
});
