import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { at, type Data, equal, isList, isMap, withField } from "../../src/structured/data.ts";
import { StructureFailure } from "../../src/structured/failure.ts";
import type { Format } from "../../src/structured/format.ts";
import { formatOf } from "../../src/structured/formats.ts";
import { setField } from "../../src/structured/set-field.ts";
import { times } from "../e2e/long.ts";
import { spliceString } from "../text/language.ts";
import "../helpers/seeds.ts";
import { dataOf, jsonDocument, keysOf, missing, value, yamlDocument } from "./documents.ts";
import { tomlDocument } from "./toml-documents.ts";

const FORMATS = [
  ["a.toml", tomlDocument],
  ["a.json", jsonDocument],
  ["a.yaml", yamlDocument],
] as const;

describe("any edit of any document changes exactly the given field, or is refused", () => {
  for (const [path, documents] of FORMATS)
    test(`[SD2] ${path}`, () => {
      let applied = 0;
      let refused = 0;
      const format = formatOf(path) as Format;
      fc.assert(
        fc.property(documents, fc.nat(), fc.nat(), value, (text, pick, more, value) => {
          const before = dataOf(format, text);
          const keys = keysOf(before);
          const key = keys[pick % keys.length]!;
          const field = [...key, ...missing(at(before, key)!, more)];
          if (field.length === 0) return;
          const edited = setField(text, path, field, value);
          if (edited instanceof StructureFailure) {
            if (edited.reason !== "invalid_value") refused++;
            return;
          }
          applied++;
          expect(spliceString(text, edited.splices)).toBe(edited.text);
          // A new item gets the kind of the item before it.
          const list = at(before, field.slice(0, -1));
          const like = at(before, field) ?? (isList(list) ? list.at(-1) : undefined);
          const adopted = format.adopt(value, like, field) as Data;
          expect(equal(dataOf(format, edited.text), withField(before, field, adopted) as Data)).toBe(true);
          if (path === "a.toml") expect(() => parse(edited.text, { integersAsBigInt: true })).not.toThrow();
          if (text.includes("\r\n")) expect(edited.text).not.toMatch(/[^\r]\n/);
          const old = at(before, field);
          if (!isMap(old) && !isList(old)) expect(edited.text.match(NOTES)).toEqual(text.match(NOTES));
        }),
        { numRuns: times(35, 2_000) },
      );
      expect(applied).toBeGreaterThan(10 * refused);
    });

  for (const [path, documents] of FORMATS)
    test(`[SD14] in ${path} preserves the line break of each line in a document of mixed ones`, () => {
      let applied = 0;
      fc.assert(
        fc.property(
          documents,
          fc.nat(),
          fc.array(fc.boolean(), { minLength: 8 }),
          value,
          (even, pick, ends, value) => {
            let breaks = 0;
            const text = even.replaceAll(/\r?\n/g, () => (ends[breaks++ % ends.length] ? "\r\n" : "\n"));
            const format = formatOf(path) as Format;
            if (format.read(text, "\n", text) instanceof StructureFailure) return;
            const keys = keysOf(dataOf(format, text));
            const field = [...keys[pick % keys.length]!, "fresh"];
            const edited = setField(text, path, field, value);
            if (edited instanceof StructureFailure) return;
            applied++;
            const after = breaksOf(edited.text);
            for (const [line, found] of breaksOf(text))
              if (after.has(line)) expect([line, after.get(line)]).toEqual([line, found]);
          },
        ),
        { numRuns: times(60, 2_000) },
      );
      expect(applied).toBeGreaterThan(0);
    });
});

/** Returns the line break of each line that occurs once and has one. */
function breaksOf(text: string): Map<string, string> {
  const lines = [...text.matchAll(/([^\n]*?)(\r?\n)/g)].map(([, line, end]) => [line!, end!] as const);
  const counts = new Map<string, number>();
  for (const line of text.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return new Map(lines.filter(([line]) => counts.get(line) === 1));
}

const NOTES = /(#|\/\/) ?(note|above|section)/g;
