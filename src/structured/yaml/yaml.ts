import type { Document, Node } from "yaml";
import { type Data, fromJson, isMap, Stamp } from "../data.ts";
import { lineOf, StructureFailure } from "../failure.ts";
import type { Format, Structured } from "../format.ts";
import { YamlEditor } from "./edit.ts";
import { yaml } from "./package.ts";
import { sliceOf } from "./slice.ts";
import { yamlNameOf } from "./write.ts";

export const yamlFormat: Format = {
  name: "YAML",
  slice: sliceOf,
  read: (text, eol, whole = text) => {
    const lone = text.search(/\r(?!\n)/);
    if (lone >= 0)
      return new StructureFailure(
        "invalid_document",
        "this YAML has a carriage return without a line feed, which readers take for the end of a line",
        { line: lineOf(text, lone), suggestion: "Remove it first with edit.replace." },
      );
    const document = yaml().parseDocument(text, {
      keepSourceTokens: true,
      intAsBigInt: true,
      prettyErrors: false,
      merge: true,
      uniqueKeys: false,
    });
    const [error] = document.errors;
    if (error?.code === "RESOURCE_EXHAUSTION") throw new RangeError(error.message);
    if (error !== undefined)
      return error.code === "MULTIPLE_DOCS"
        ? new StructureFailure(
            "invalid_document",
            "this file contains several YAML documents; a field can be set only in a file with one",
            {
              suggestion: "Edit the text with edit.replace or edit.patch.",
            },
          )
        : new StructureFailure("invalid_document", `this is not valid YAML: ${error.message}`, {
            line: lineOf(text, error.pos[0]),
          });
    if (directivesOf(text) > 1)
      return new StructureFailure("invalid_document", "this is not valid YAML: it has two %YAML lines", {
        suggestion: "Remove one of them first with edit.replace.",
      });
    const repeated = repeatedKey(document);
    if (repeated !== undefined)
      return new StructureFailure(
        "invalid_document",
        `the key ${JSON.stringify(repeated.name)} occurs twice`,
        {
          line: lineOf(text, repeated.offset),
          suggestion: "Remove one of them first with edit.replace.",
        },
      );
    let data: Data;
    try {
      data = dataOf(document.toJS({ mapAsMap: true, maxAliasCount: 100 }));
    } catch (thrown) {
      if (!(thrown instanceof ReferenceError)) throw thrown;
      return new StructureFailure("invalid_document", `this YAML has too many aliases: ${thrown.message}`);
    }
    const editor = new YamlEditor(text, eol, document, whole);
    return { data, replaceable: () => true, step: (step) => editor.step(step) } satisfies Structured;
  },
  adopt: (value) => wholeAsBigInt(fromJson(value)),
};

/** Returns the number of `%YAML` lines above the document. */
function directivesOf(text: string): number {
  const end = text.search(/^---/m);
  return end < 0 ? 0 : (text.slice(0, end).match(/^\ufeff?%YAML(?=[ \t])/gm)?.length ?? 0);
}

/** Returns data with whole numbers as bigints, so that none is rounded. */
function wholeAsBigInt(data: Data): Data {
  if (typeof data === "number" && Number.isSafeInteger(data)) return BigInt(data);
  if (Array.isArray(data)) return data.map(wholeAsBigInt);
  return isMap(data) ? new Map([...data].map(([key, item]) => [key, wholeAsBigInt(item)])) : data;
}

/** Returns a key that occurs twice. Keys that differ only in their type, as 1 and "1", count as equal. */
function repeatedKey(document: Document): { name: string; offset: number } | undefined {
  let found: { name: string; offset: number } | undefined;
  yaml().visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = yamlNameOf(yaml().isScalar(key) ? key.value : key);
        if (seen.size === seen.add(name).size && name !== "<<")
          found ??= { name, offset: (key as Node).range?.[0] ?? 0 };
      }
      return found && yaml().visit.BREAK;
    },
  });
  return found;
}

function dataOf(value: unknown): Data {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(dataOf);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [yamlNameOf(key), dataOf(item)]));
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "object") return new Stamp(String(value));
  return value as string | number | bigint | boolean;
}
