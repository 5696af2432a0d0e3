import fc from "fast-check";
import { stringify } from "yaml";
import { type Data, isList, isMap, type Json, type Key } from "../../src/structured/data.ts";
import { StructureFailure } from "../../src/structured/failure.ts";
import type { Format } from "../../src/structured/format.ts";
import { read } from "../../src/structured/set-field.ts";

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
/** A value to set. */
export const value = fc.oneof(
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

export const jsonDocument = fc
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
/** JSON with comments between any two of its tokens, and commas after last items. */
export const jsoncDocument = fc
  .record({
    document: jsonDocument,
    notes: fc.array(
      fc.constantFrom("", "", "", "", "/* , } */", '// "a": 1,\n', '/* "b":\n 2 */', " /**/ ", "//\n"),
      { minLength: 1, maxLength: 40 },
    ),
    commas: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
  })
  .map(({ document, notes, commas }) => {
    let ends = 0;
    const tokens = document.match(/"(?:[^"\\]|\\.)*"|\/\/.*|[{}[\],:]|\s+|[^\s{}[\],:"]+/g)!;
    return tokens
      .map((token, i) => {
        const note = token.startsWith("//") ? "" : notes[i % notes.length]!;
        const hasItems = /^[}\]]$/.test(token) && !/[{[]\s*$/.test(tokens.slice(0, i).join(""));
        const comma = hasItems && commas[ends++ % commas.length] ? "," : "";
        return `${comma}${token}${note}`;
      })
      .join("");
  });
export const yamlDocument = fc
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

export function dataOf(format: Format, text: string): Data {
  const document = read(format, text);
  if (document instanceof StructureFailure) throw new Error(`${document.message}: ${text}`);
  return document.data;
}

/** Returns all keys that lead to a value in the data. */
export function keysOf(data: Data, key: Key = []): Key[] {
  if (isMap(data)) return [key, ...[...data].flatMap(([name, item]) => keysOf(item, [...key, name]))];
  if (isList(data)) return [key, ...data.flatMap((item, i) => keysOf(item, [...key, i]))];
  return [key];
}

/** Returns a new key for half of the objects and lists. */
export function missing(data: Data, pick: number): Key {
  if (pick % 2 === 0) return [];
  if (isList(data)) return [data.length];
  return isMap(data) ? (pick % 3 === 0 ? ["new"] : ["new", "x y"]) : [];
}
