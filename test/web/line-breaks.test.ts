import { ChangeSet } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Splice } from "../../src/text/splice.ts";
import { LineBreaks } from "../../src/web/views/document/editor/line-breaks.ts";

/** Returns a document after splices of it. */
function applied(text: string, splices: readonly Splice[]): string {
  let out = "";
  let at = 0;
  for (const { from, to, insert } of splices) {
    out += text.slice(at, from) + insert;
    at = to;
  }
  return out + text.slice(at);
}

/** Types into the editor of a document; returns the document afterwards. */
function typed(document: string, from: number, to: number, insert: string): string {
  const { doc, breaks } = LineBreaks.of(document);
  const { splices } = breaks.fromEditor(ChangeSet.of({ from, to, insert }, doc.length), doc);
  return applied(document, splices);
}

const texts = fc.string({
  unit: fc.constantFrom("a", "b", "\n", "\r", "\r\n", "😀", "\u2028"),
  maxLength: 30,
});
const edits = fc.array(fc.tuple(fc.nat(), fc.nat(), texts), { maxLength: 4 });

/** Splices that fit a text of that length, from any numbers. */
function fitting(length: number, wanted: readonly (readonly [number, number, string])[]): Splice[] {
  const ends = wanted.flatMap(([a, b]) => [a % (length + 1), b % (length + 1)]).sort((a, b) => a - b);
  return wanted.map(([, , insert], i) => ({ from: ends[2 * i]!, to: ends[2 * i + 1]!, insert }));
}

describe("line breaks", () => {
  test.each([
    ["a\r\nb\r\n", 1, 1, "x", "ax\r\nb\r\n"],
    ["a\r\nb\r\n", 2, 2, "x", "a\r\nxb\r\n"],
    ["a\r\nb\r\n", 1, 1, "\n", "a\r\n\r\nb\r\n"],
    ["a\r\nb", 3, 3, "\nc", "a\r\nb\r\nc"],
    ["a\r\nb\r\n", 1, 2, "", "ab\r\n"],
    ["a\nb\r\nc\n", 1, 1, "\n", "a\n\nb\r\nc\n"],
    ["a\nb\r\nc\n", 3, 3, "\n", "a\nb\r\n\r\nc\n"],
    ["a\rb\n", 2, 2, "x", "a\rxb\n"],
    ["a\r\nb", 0, 3, "x\ny", "x\r\ny"],
  ])("[WP10, WP80] %j with %i..%i replaced by %j is %j", (document, from, to, insert, expected) => {
    expect(typed(document, from, to, insert)).toBe(expected);
  });

  test("[WP65] a replaced half of a surrogate pair becomes a whole character in the document", () => {
    const { doc, breaks } = LineBreaks.of("a\r\n😀b");
    const { splices } = breaks.fromEditor(
      ChangeSet.of({ from: 3, to: 4, insert: "\ude01" }, doc.length),
      doc,
    );
    expect(splices).toEqual([{ from: 3, to: 5, insert: "😁" }]);
  });

  test("[WP10] changes of others give the same text in the editor, and positions stay exact", () => {
    fc.assert(
      fc.property(texts, fc.array(edits, { maxLength: 4 }), (text, rounds) => {
        let document = text;
        let { doc, breaks } = LineBreaks.of(document);
        for (const wanted of rounds) {
          const splices = fitting(document.length, wanted);
          const told = breaks.fromDocument(splices, doc);
          doc = ChangeSet.of(told.changes, doc.length).apply(doc);
          breaks = told.breaks;
          document = applied(document, splices);
          expectSame(document, doc.toString(), breaks);
        }
      }),
    );
  });

  test("[WP10] typing gives the same text in the document", () => {
    fc.assert(
      fc.property(texts, fc.array(edits, { maxLength: 4 }), (text, rounds) => {
        let document = text;
        let { doc, breaks } = LineBreaks.of(document);
        for (const wanted of rounds) {
          const changes = ChangeSet.of(
            fitting(doc.length, wanted).map((splice) => ({
              ...splice,
              insert: splice.insert.replaceAll("\r", ""),
            })),
            doc.length,
          );
          const made = breaks.fromEditor(changes, doc);
          doc = changes.apply(doc);
          breaks = made.breaks;
          document = applied(document, made.splices);
          expectSame(document, doc.toString(), breaks);
        }
      }),
    );
  });
});

/** The document is the editor's text with a `\r` put back before some of its breaks. */
function expectSame(document: string, editor: string, breaks: LineBreaks): void {
  let rebuilt = "";
  for (let i = 0; i < editor.length; i++) {
    const widened = breaks.toDocument(i + 1) - breaks.toDocument(i) === 2;
    rebuilt += widened ? `\r${editor[i]}` : editor[i];
    if (widened) expect(editor[i]).toBe("\n");
    expect(breaks.toEditor(breaks.toDocument(i))).toBe(i);
  }
  expect(rebuilt).toBe(document);
}
