import fc from "fast-check";
import { load } from "js-yaml";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { describe, expect, test } from "vitest";
import { at, type Data, isList, isMap, Stamp } from "../../src/structured/data.ts";
import { StructureFailure } from "../../src/structured/failure.ts";
import type { Format } from "../../src/structured/format.ts";
import { formatOf } from "../../src/structured/formats.ts";
import { setField } from "../../src/structured/set-field.ts";
import { editableView, editByView } from "../../src/structured/view/markdown-edit.ts";
import { times } from "../e2e/long.ts";
import { dataOf, jsonDocument, keysOf, missing, value, yamlDocument } from "./documents.ts";
import "../helpers/seeds.ts";
import { tomlDocument } from "./toml-documents.ts";
import { writtenYaml } from "./yaml-documents.ts";

const RUNS = { numRuns: times(30, 2_000) };

/**
 * Returns data as another parser gives it: numbers are doubles, and only the kind of a date or time counts. TOML lets a
 * parser choose the line breaks of a string over several lines.
 */
function plain(data: Data): unknown {
  if (typeof data === "string") return data.replaceAll("\r\n", "\n");
  if (data instanceof Stamp) return "a date or time";
  if (isList(data)) return data.map(plain);
  if (isMap(data)) return Object.fromEntries([...data].map(([key, item]) => [key, plain(item)]));
  return typeof data === "bigint" ? Number(data) : data;
}

function readByOtherToml(text: string): unknown {
  const undated = (data: unknown): unknown => {
    if (data instanceof Date) return "a date or time";
    if (typeof data === "string") return data.replaceAll("\r\n", "\n");
    if (Array.isArray(data)) return data.map(undated);
    if (typeof data !== "object" || data === null) return data;
    return Object.fromEntries(Object.entries(data).map(([key, item]) => [key, undated(item)]));
  };
  return undated(getStaticTOMLValue(parseTOML(text, { tomlVersion: "1.0" })));
}

const OTHERS = [
  // The other TOML parser takes the key `__proto__` for the prototype.
  ["a.toml", tomlDocument.filter((text) => !text.includes("__proto__")), readByOtherToml],
  ["a.json", jsonDocument.filter((text) => !text.includes("//")), (text: string) => JSON.parse(text)],
  ["a.yaml", yamlDocument, (text: string) => load(text)],
  ["written.yaml", writtenYaml, (text: string) => load(text)],
] as const;

describe("beside another parser", () => {
  for (const [path, documents, readByOther] of OTHERS) {
    const format = formatOf(path) as Format;
    const data = (text: string) => dataOf(format, text);

    test(`[SD13] ${path} is read alike, before an edit and after it`, () => {
      let applied = 0;
      fc.assert(
        fc.property(documents, fc.nat(), fc.nat(), value, (text, pick, more, value) => {
          expect(readByOther(text)).toEqual(plain(data(text)));
          const keys = keysOf(data(text));
          const key = keys[pick % keys.length]!;
          const field = [...key, ...missing(at(data(text), key)!, more)];
          if (field.length === 0) return;
          const edited = setField(text, path, field, value);
          if (edited instanceof StructureFailure) return;
          applied++;
          expect(readByOther(edited.text)).toEqual(plain(data(edited.text)));
        }),
        RUNS,
      );
      expect(applied).toBeGreaterThan(RUNS.numRuns / 2);
    });

    test(`[SD13] a field of ${path} that is set and set back has the data of before`, () => {
      let applied = 0;
      fc.assert(
        fc.property(documents, fc.nat(), value, (text, pick, value) => {
          const fields = keysOf(data(text)).filter((key) => isJson(at(data(text), key)!) && key.length > 0);
          const key = fields[pick % fields.length];
          if (key === undefined) return;
          const old = at(data(text), key)!;
          const edited = setField(text, path, key, value);
          if (edited instanceof StructureFailure) return;
          const back = setField(edited.text, path, key, plain(old) as never);
          if (back instanceof StructureFailure) return;
          applied++;
          const now = data(back.text);
          // A value that was a whole number may have become the same float, and the other way round.
          expect(plain(now)).toEqual(plain(data(text)));
          expect(readByOther(back.text)).toEqual(readByOther(text));
        }),
        RUNS,
      );
      expect(applied).toBeGreaterThan(RUNS.numRuns / 2);
    });
  }

  test("[SD13] a view of TOML that was edited in one text gives a document that the other parser reads alike", () => {
    let applied = 0;
    fc.assert(
      fc.property(
        OTHERS[0][1],
        fc.nat(),
        fc.constantFrom("x", "two words", "7", "Yes"),
        (text, pick, line) => {
          const view = editableView(text, "a.toml");
          if (view instanceof StructureFailure) return;
          const lines = view.split("\n");
          const at = 3 + (pick % Math.max(1, lines.length - 3));
          const edited = editByView(text, "a.toml", lines.toSpliced(at, 1, line).join("\n"));
          if (edited instanceof StructureFailure) return;
          applied++;
          const format = formatOf("a.toml") as Format;
          expect(readByOtherToml(edited.text)).toEqual(plain(dataOf(format, edited.text)));
        },
      ),
      RUNS,
    );
    expect(applied).toBeGreaterThan(RUNS.numRuns / 10);
  });
});

/** Returns true for data that a request can carry as JSON, which has one zero. */
function isJson(data: Data): boolean {
  if (isList(data)) return data.every(isJson);
  if (isMap(data)) return [...data.values()].every(isJson);
  return (
    !(data instanceof Stamp) && !(typeof data === "number" && (!Number.isFinite(data) || Object.is(data, -0)))
  );
}
