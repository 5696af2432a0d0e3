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

describe("any edit of any document changes exactly the given field, or is refused", () => {
  for (const [path, documents] of [
    ["a.toml", tomlDocument],
    ["a.json", jsonDocument],
    ["a.yaml", yamlDocument],
  ] as const)
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
});

const NOTES = /(#|\/\/) ?(note|above|section)/g;
