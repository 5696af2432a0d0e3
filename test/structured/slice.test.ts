import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { stringify } from "yaml";
import { at, type Json, type Key } from "../../src/structured/data.ts";
import { StructureFailure } from "../../src/structured/failure.ts";
import type { Format } from "../../src/structured/format.ts";
import { formatOf } from "../../src/structured/formats.ts";
import { setField, setIn } from "../../src/structured/set-field.ts";
import { times } from "../e2e/long.ts";
import { spliceString } from "../text/language.ts";
import "../helpers/seeds.ts";
import { dataOf, jsoncDocument, jsonDocument, keysOf, missing, value, yamlDocument } from "./documents.ts";
import { tomlDocument } from "./toml-documents.ts";
import { writtenYaml } from "./yaml-documents.ts";

const format = (path: string) => formatOf(path) as Format;
const YAML = format("a.yaml");
/** The samples of documents of many entries, which take long to parse. */
const ENTRY_RUNS = times(6, 2_000);
/** The entries of a document of which a field needs little, and the number of a late one. */
const ENTRIES = times(2_500, 10_000);
const LATE = ENTRIES - 1_000;
/** The samples of short documents behind a long padding. */
const PADDED_RUNS = times(40, 3_000);
const word = fc.constantFrom(
  "a",
  "b",
  "text: with colon",
  "- dash",
  "two\nlines\n",
  "# no comment",
  "'",
  " x",
  "1",
  "",
);
const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null));
const node = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c d", "x.y", "- z", "1"), tie("node"), { maxKeys: 4 }),
  ),
})).node;

/** A long document of many entries, the text of one of which is drawn; and a key in that entry. */
const long = fc
  .record({
    entries: fc.array(node, { minLength: 1, maxLength: 6 }),
    at: fc.nat(),
    path: fc.array(fc.nat(), { maxLength: 4 }),
    isList: fc.boolean(),
    depth: fc.nat(2),
    style: fc.record({ indent: fc.constantFrom(2, 3), indentSeq: fc.boolean() }),
    windows: fc.boolean(),
    notes: fc.boolean(),
  })
  .map(({ entries, at, path, isList, depth, style, windows, notes }) => {
    const all: Json[] = Array.from({ length: 700 }, (_, i) => ({
      id: i,
      text: `the text of entry number ${i}`,
    }));
    const index = at % all.length;
    for (const [i, entry] of entries.entries()) all[(index + i) % all.length] = entry;
    const inner: Json = isList ? all : Object.fromEntries(all.map((entry, i) => [`k${i}`, entry]));
    const data = Array.from({ length: depth }).reduce<Json>(
      (below) => ({ first: 1, below, last: [1] }),
      inner,
    );
    const key: (string | number)[] = Array.from({ length: depth }, () => "below");
    let here: Json = inner;
    for (const step of [index, ...path]) {
      if (typeof here !== "object" || here === null) break;
      const keys: (string | number)[] = Array.isArray(here)
        ? [...here.keys(), here.length]
        : [...Object.keys(here), "new"];
      const part: string | number = keys[step % keys.length]!;
      key.push(part);
      here = (here as unknown as Record<string | number, Json>)[part] ?? null;
    }
    const plain = stringify(data, style);
    const noted = notes ? plain.replaceAll(/^( *[\w.]+: \d+)$/gm, "$1 # note\n\n# more") : plain;
    return { text: windows ? noted.replaceAll("\n", "\r\n") : noted, key: key as Key };
  });

/** More than the texts that are read as a whole, and nothing that a document says. */
const PADDING: Readonly<Record<string, string>> = {
  "a.toml": `#${" padding".repeat(5000)}\n`,
  "a.json": " ".repeat(40_000),
  "a.jsonc": `//${" padding".repeat(5000)}\n`,
  "a.yaml": `#${" padding".repeat(5000)}\n`,
  "written.yaml": `#${" padding".repeat(5000)}\n`,
};

describe("a part of a large document", () => {
  for (const [path, documents] of [
    ["a.toml", tomlDocument],
    ["a.json", jsonDocument],
    ["a.jsonc", jsoncDocument],
    ["a.yaml", yamlDocument],
    ["written.yaml", writtenYaml],
  ] as const)
    test(`[SD12] ${path} gets the same result as when it is read as a whole`, () => {
      let parts = 0;
      fc.assert(
        fc.property(documents, fc.nat(), fc.nat(), value, (document, pick, more, value) => {
          const before = dataOf(format(path), document);
          const keys = keysOf(before);
          const key = keys[pick % keys.length]!;
          const field = [...key, ...missing(at(before, key)!, more)];
          if (field.length === 0) return;
          const padding = PADDING[path]!;
          const text = padding + document;
          const edited = setField(text, path, field, value);
          const whole = setIn(format(path), text, field, value, text);
          if (whole instanceof StructureFailure || edited instanceof StructureFailure) {
            expect(edited).toEqual(whole);
            return;
          }
          expect(edited.text.slice(padding.length)).toBe(whole.text.slice(padding.length));
          expect(spliceString(text, edited.splices)).toBe(edited.text);
          if (format(path).slice(text, field, value) !== undefined) parts++;
        }),
        { numRuns: PADDED_RUNS },
      );
      expect(parts).toBeGreaterThan(PADDED_RUNS / 10);
    });

  test("[SD12] YAML of many entries gets the same result as when it is read as a whole", () => {
    let parts = 0;
    fc.assert(
      fc.property(long, node, ({ text, key }, value) => {
        if (YAML.slice(text, key, value) === undefined) return;
        parts++;
        const edited = setField(text, "a.yaml", key, value);
        const other = setIn(YAML, text, key, value, text);
        if (edited instanceof StructureFailure || other instanceof StructureFailure) {
          expect(edited).toEqual(other);
          return;
        }
        expect(spliceString(text, edited.splices)).toBe(edited.text);
        expect(edited.text).toBe(other.text);
      }),
      { numRuns: ENTRY_RUNS },
    );
    expect(parts).toBeGreaterThan(ENTRY_RUNS / 2);
  });

  for (const [path, what, lines, key] of [
    [
      "a.yaml",
      "fields",
      (i: number) => `key${i}:\n  name: "value ${i}"\n  list: [1, 2, ${i}]\n`,
      [`key${LATE}`, "name"],
    ],
    [
      "a.yaml",
      "items",
      (i: number) => `- name: "value ${i}"\n  list:\n    - ${i}\n  # note\n`,
      [LATE, "name"],
    ],
    [
      "a.toml",
      "tables",
      (i: number) => `[key${i}]\nname = "value ${i}"\nlist = [1, 2, ${i}]\n\n`,
      [`key${LATE}`, "name"],
    ],
    [
      "a.toml",
      "items",
      (i: number) => `[[key]]\nname = "value ${i}"\n[key.list]\nx = ${i}\n`,
      ["key", LATE, "name"],
    ],
    ["a.toml", "pairs", (i: number) => `key${i} = "value ${i}" # the text of ${i}\n`, [`key${LATE}`]],
    [
      "a.json",
      "fields",
      (i: number) =>
        `${i > 0 ? "," : "{"}\n  "key${i}": { "name": "value ${i}", "list": [1, ${i}] }${i === ENTRIES - 1 ? "\n}\n" : ""}`,
      [`key${LATE}`, "name"],
    ],
    [
      "a.jsonc",
      "fields with comments",
      (i: number) =>
        `${i > 0 ? "" : "{ // all\n"}  // ${i}\n  "key${i}": { "name": "value ${i}", /* "x": */ },\n${i === ENTRIES - 1 ? "}\n" : ""}`,
      [`key${LATE}`, "name"],
    ],
    [
      "a.json",
      "items",
      (i: number) =>
        `${i > 0 ? "," : "["}{"name":"value ${i}","list":[1, ${i}]}${i === ENTRIES - 1 ? "]" : ""}`,
      [LATE, "name"],
    ],
  ] as const)
    test(`[SD12] of many ${what} in ${path} only a part is read`, () => {
      const text = Array.from({ length: ENTRIES }, (_, i) => lines(i)).join("");
      const read = vi.spyOn(format(path), "read");
      expect(setField(text, path, key, "v")).toHaveProperty("text", text.replace(`"value ${LATE}"`, '"v"'));
      const lengths = read.mock.calls.map(([part]) => part.length);
      expect(lengths.length).toBeGreaterThan(0);
      expect(Math.max(...lengths)).toBeLessThan(100);
      const { from, to } = format(path).slice(text, key, "v")!;
      expect(to - from).toBeLessThan(100);
    });

  for (const [what, text] of [
    ["a comment without an end", '{ "a": 1 } /*'],
    ["a comma after the last item", '{ "a": 1, } // end'],
    ["a string without an end", '{ "a": 1 } // "\n"'],
    ["a lone slash", '{ "a": 1 } / '],
    ["two values", '{ "a": 1 } // end\n{}'],
  ])
    test(`[SD12] JSON with ${what} is read as a whole, and refused`, () => {
      const long = " ".repeat(40_000);
      expect(format("a.json").slice(long + text, ["a"], 1)).toBeUndefined();
      expect(setField(long + text, "a.json", ["a"], 1)).toMatchObject({ reason: "invalid_document" });
    });

  for (const [what, text] of [
    ["anchors", "a: &x 1\nb: *x\n"],
    ["several documents", "a: 1\n---\nb: 2\n"],
    ["a repeated key", "a: 1\na: 2\n"],
    ["a key in quotes", '"a": 1\n'],
    ["a question mark", "? a\n: 1\n"],
    ["tabs", "a:\n\tb: 1\n"],
    ["a lone carriage return", "a: 1\rb: 2\n"],
    ["an outdented bracket", "a: {\n}\n"],
  ])
    test(`[SD12] YAML with ${what} is read as a whole`, () => {
      const long = Array.from({ length: 2000 }, (_, i) => `key${i}: some text\n`).join("");
      expect(YAML.slice(text + long, ["key7"], 1)).toBeUndefined();
      expect(YAML.slice(long, ["key7"], 1)).toBeDefined();
    });
});
