import fc from "fast-check";
import type { Splice } from "../../src/text/splice.ts";

/** Returns the code points of a string, the unit of positions. */
export const chars = (s: string): string[] => Array.from(s);

/** Applies splices in the simplest way. */
export function spliceString(s: string, splices: readonly Splice[]): string {
  const points = chars(s);
  for (const { from, to, insert } of [...splices].reverse()) points.splice(from, to - from, insert);
  return points.join("");
}

/** Short texts rich in line breaks, astral characters and repeats; `repeat` makes some texts span many leaves. */
export function unicode(options: { maxLength: number; repeat?: number }): fc.Arbitrary<string> {
  const unit = fc.constantFrom("a", "b", "c", " ", "\n", "\r\n", "é", "漢", "\u{1f600}", "e\u0301", "\u200d");
  const text = fc.array(unit, { maxLength: options.maxLength }).map((parts) => parts.join(""));
  if (options.repeat === undefined) return text;
  return fc.tuple(text, fc.integer({ min: 1, max: options.repeat })).map(([s, n]) => s.repeat(n));
}

/** Ascending, non-overlapping splices for a text. */
export function splicesFor(s: string, max = 4): fc.Arbitrary<Splice[]> {
  const length = chars(s).length;
  const insert = unicode({ maxLength: 4 });
  return fc.array(fc.tuple(fc.nat(length), insert), { maxLength: 2 * max }).map((points) => {
    const sorted = [...points].sort((a, b) => a[0] - b[0]);
    const splices: Splice[] = [];
    for (let i = 0; i + 1 < sorted.length; i += 2)
      splices.push({ from: sorted[i]![0], to: sorted[i + 1]![0], insert: sorted[i]![1] });
    return splices;
  });
}

const LINES = ["a", "b", "", "}", "-- c", "++ d", "é\u{1f600}", "x\u2028y", "one two three", "```js", "@@"];

/** Texts of short lines, many of them equal, each with a second text derived from it. */
export const edited = fc
  .array(fc.constantFrom(...LINES), { maxLength: 30 })
  .chain((lines) => {
    const edit = fc.tuple(
      fc.nat(lines.length),
      fc.nat(2),
      fc.array(fc.constantFrom("a", "n", ""), { maxLength: 2 }),
    );
    return fc.tuple(fc.constant(lines), fc.array(edit, { maxLength: 4 }), fc.boolean(), fc.boolean());
  })
  .map(([lines, edits, open, opens]) => {
    const changed: string[] = [...lines];
    for (const [at, removed, fresh] of edits) changed.splice(at, removed, ...fresh);
    const text = (all: string[], end: boolean) => all.join("\n") + (end || all.length === 0 ? "" : "\n");
    return [text(lines, open), text(changed, opens)] as const;
  });

/**
 * A one-line language for edits: `"one [two|twi] three"` is the text `one two three` and the splice that
 * turns `two` into `twi`; `[|new]` inserts, `[old|]` deletes.
 */
export function edit(source: string): { base: string; splices: Splice[] } {
  let base = "";
  const splices: Splice[] = [];
  for (const part of source.split(/(\[[^\]]*\|[^\]]*\])/)) {
    const match = /^\[([^|]*)\|([^\]]*)\]$/.exec(part);
    const from = chars(base).length;
    base += match ? match[1]! : part;
    if (match) splices.push({ from, to: chars(base).length, insert: match[2]! });
  }
  return { base, splices };
}
