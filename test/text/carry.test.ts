import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compose } from "../../src/text/delta.ts";
import { diff } from "../../src/text/diff/diff.ts";
import { carry } from "../../src/text/merge/carry.ts";
import { merge } from "../../src/text/merge/merge.ts";
import type { Splice } from "../../src/text/splice.ts";
import { Text } from "../../src/text/text.ts";
import { times } from "../e2e/long.ts";
import "../helpers/seeds.ts";
import { chars, edit, spliceString, splicesFor, unicode } from "./language.ts";

/** Returns the newest text with an edit of the first text carried over; `texts` are the versions in order. */
function carried(history: readonly string[], splices: readonly Splice[]) {
  const [base, now] = [Text.of(history[0]!), Text.of(history.at(-1)!)];
  let since: Splice[] = [];
  for (let i = 1; i < history.length; i++) since = compose(since, diff(history[i - 1]!, history[i]!));
  const result = carry(base, now, splices, since);
  return { ...result, text: now.splice(result.splices).toString() };
}

type LineEdit = readonly [line: number, kind: "change" | "insert" | "delete", word: string];

const ZONES = 6;
/** Returns lines in zones of four. Each zone's second line is edited, so that edits of two zones do not touch. */
const BASE = Array.from({ length: 4 * ZONES }, (_, i) => `${i} is a line of its own\n`);
const lineEdits = fc.array(
  fc.tuple(
    fc.nat(ZONES - 1).map((zone) => 4 * zone + 1),
    fc.constantFrom("change" as const, "insert" as const, "delete" as const),
    fc.constantFrom("alpha", "beta", "gamma", "\u{1f600}"),
  ),
  { maxLength: 6 },
);

function lines(edits: readonly LineEdit[], who: string): string {
  const out = BASE.map((line) => [line]);
  for (const [i, kind, word] of edits) {
    if (kind === "insert") out[i]!.push(`${who} put ${word} below ${i}\n`);
    else out[i]![0] = kind === "delete" ? "" : `${i} says ${word} to ${who}\n`;
  }
  return out.flat().join("");
}

describe("an edit carried to the newest text", () => {
  test("[PO4] equals the three-way merge of base, newest text and edited base", () => {
    fc.assert(
      fc.property(lineEdits, lineEdits, lineEdits, (first, second, all) => {
        // Where changed lines touch, the history decides better than the texts.
        const own = all.filter(([line]) => ![...first, ...second].some(([other]) => other === line));
        const base = BASE.join("");
        const steps = [base, lines(first, "bob"), lines([...first, ...second], "bob")];
        const proposed = lines(own, "alice");
        const expected = merge(base, steps.at(-1)!, proposed);
        const { text, overlaps, close } = carried(steps, diff(base, proposed));
        expect([text, overlaps, close]).toEqual([expected.text, [], []]);
      }),
      { numRuns: times(60, 4_000) },
    );
  });

  test("[PO23] removes no text that others wrote since, whatever both sides did", () => {
    const texts = unicode({ maxLength: 30 });
    const pairs = texts.chain((s) => fc.tuple(fc.constant(s), splicesFor(s), splicesFor(s)));
    fc.assert(
      fc.property(pairs, ([base, own, others]) => {
        const now = spliceString(base, others);
        const { text } = carried([base, now], own);
        const [had, left] = [tally(now), tally(text)];
        const removed = tally(own.map(({ from, to }) => chars(base).slice(from, to).join("")).join(""));
        for (const [char, n] of had)
          expect((left.get(char) ?? 0) + (removed.get(char) ?? 0)).toBeGreaterThanOrEqual(n);
      }),
      { numRuns: times(60, 4_000) },
    );
  });

  const cases: [name: string, edit: string, history: string[], text: string][] = [
    ["beside others' edits", "one\n[two|2]\nthree\n", ["ONE\ntwo\nthree\n"], "ONE\n2\nthree\n"],
    ["as a whole text beside others' lines", "a\n[b|B]\n", ["a\nb\nc\n"], "a\nB\nc\n"],
    [
      "at its original place among equal lines",
      "x\n[y|z]\nx\ny\n",
      ["x\ny\nx\ny\nx\ny\n"],
      "x\nz\nx\ny\nx\ny\n",
    ],
    [
      "after an edit of the same words was undone",
      "say [hi|ahoy]\n",
      ["say moin\n", "say hi\n"],
      "say ahoy\n",
    ],
    ["when half of it is there already", "[a|A]\nb\nc\nd\n[e|E]\n", ["A\nb\nc\nd\ne\n"], "A\nb\nc\nd\nE\n"],
    ["when it is there already, and more", "a\n[|b\n]", ["a\nb\n", "a\nb\nc\n"], "a\nb\nc\n"],
  ];
  for (const [name, source, later, text] of cases)
    test(`[PO4] lands ${name}`, () => {
      const { base, splices } = edit(source);
      expect(carried([base, ...later], splices)).toMatchObject({ text, overlaps: [] });
    });

  test("[PO22] goes to the line that the history identifies among equal lines", () => {
    const { base, splices } = edit("[x|y]\nx\n");
    const since = [{ from: 0, to: 0, insert: "x\n" }];
    const now = Text.of(base).splice(since);
    const result = carry(Text.of(base), now, splices, since);
    expect(now.splice(result.splices).toString()).toBe("x\ny\nx\n");
  });

  test("[PO5, PO24] reports its conflicts, and counts as overwritten when none of its target is left", () => {
    const { base, splices } = edit('name = "[Alice|Bob]"\n[|more\n]');
    const both = carried([base, 'name = "Carol"\n'], splices);
    expect(both.overlaps).toHaveLength(1);
    expect(both.isOverwritten).toBe(false);
    expect(carried([base, 'name = "Carol"\n'], splices.slice(0, 1)).isOverwritten).toBe(true);
    expect(carried([base, ""], splices).isOverwritten).toBe(false);
  });
});

function tally(s: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const char of s) counts.set(char, (counts.get(char) ?? 0) + 1);
  return counts;
}
