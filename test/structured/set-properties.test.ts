import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  at,
  type Data,
  equal,
  isList,
  isMap,
  type Json,
  type Key,
  withField,
} from "../../src/structured/data.ts";
import { StructureFailure } from "../../src/structured/failure.ts";
import type { Format } from "../../src/structured/format.ts";
import { formatOf } from "../../src/structured/formats.ts";
import { read, setField } from "../../src/structured/set-field.ts";
import { spliceString } from "../text/language.ts";
import "../helpers/seeds.ts";
import { tomlDocument } from "./toml-documents.ts";

const scalar = fc.constantFrom<Json>(
  "x",
  "a\nb",
  "it's",
  'q"""',
  "\\",
  ": #",
  "- ",
  "null",
  7,
  -1.5,
  1e300,
  true,
  "1979-05-27",
  "",
);
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "x y", "name"), fc.oneof(scalar, fc.constant({ z: [1, { p: 2 }] })), {
    maxKeys: 3,
  }),
);
const tree = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "x y", "1", "true", "__proto__"), tie("tree"), { maxKeys: 4 }),
  ),
})).tree;
const object = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tree, { minKeys: 1, maxKeys: 4 });
const crlf = (text: string, on: boolean) => (on ? text.replaceAll("\n", "\r\n") : text);

const jsonDocument = fc
  .record({
    object,
    indent: fc.constantFrom<string | number>(0, 2, "\t"),
    windows: fc.boolean(),
    comment: fc.boolean(),
  })
  .map(({ object, indent, windows, comment }) => {
    const text = JSON.stringify(object, null, indent);
    return crlf(comment && indent !== 0 ? text.replaceAll(",\n", ", // note\n") : text, windows);
  });
const yamlDocument = fc
  .record({
    object,
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    flow: fc.boolean(),
    windows: fc.boolean(),
  })
  .map(({ object, windows, flow, ...style }) => {
    const text = stringify(object, { ...style, collectionStyle: flow ? "flow" : "any" });
    return crlf(flow ? text : `# note\n${text.replaceAll(/^( *\w+: \w+)$/gm, "$1 # note")}`, windows);
  });

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
        { numRuns: 200 },
      );
      expect(applied).toBeGreaterThan(10 * refused);
    });
});

const NOTES = /(#|\/\/) ?(note|above|section)/g;

function dataOf(format: Format, text: string): Data {
  const document = read(format, text);
  if (document instanceof StructureFailure) throw new Error(`${document.message}: ${text}`);
  return document.data;
}

/** Returns all keys that lead to a value in the data. */
function keysOf(data: Data, key: Key = []): Key[] {
  if (isMap(data)) return [key, ...[...data].flatMap(([name, item]) => keysOf(item, [...key, name]))];
  if (isList(data)) return [key, ...data.flatMap((item, i) => keysOf(item, [...key, i]))];
  return [key];
}

/** Returns a new key for half of the objects and lists. */
function missing(data: Data, pick: number): Key {
  if (pick % 2 === 0) return [];
  if (isList(data)) return [data.length];
  return isMap(data) ? (pick % 3 === 0 ? ["new"] : ["new", "x y"]) : [];
}
