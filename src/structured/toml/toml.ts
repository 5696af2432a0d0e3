import { isHeld } from "../../text/exact-json.ts";
import { type Data, isList, isMap, type Json, type Key, Stamp, spell } from "../data.ts";
import { type Attempt, lineOf, StructureFailure } from "../failure.ts";
import type { Format, Structured } from "../format.ts";
import { TomlEditor } from "./edit.ts";
import { toml } from "./package.ts";
import { ScanError, scan, type Value } from "./scan.ts";
import { sliceOf } from "./slice.ts";
import { build, dataOf } from "./tree.ts";

export const tomlFormat: Format = {
  name: "TOML",
  slice: sliceOf,
  read: (text, eol) => {
    const expected = parsed(text);
    if (expected instanceof StructureFailure) return expected;
    const built = scanned(text);
    if (built === undefined || !agrees(built.data, expected))
      return new StructureFailure(
        "invalid_document",
        "this TOML has a spelling that cannot be edited by field",
        {
          suggestion: "Edit the text itself with edit.replace or edit.patch.",
        },
      );
    const { data, placed } = built;
    const impossible = impossibleDate(data);
    if (impossible !== undefined)
      return new StructureFailure(
        "invalid_document",
        `this is not valid TOML: ${impossible.text} is no date`,
        {
          line: lineOf(text, text.indexOf(impossible.text)),
        },
      );
    const editor = new TomlEditor(text, eol, placed);
    return {
      data,
      replaceable: (key) => editor.holds(key),
      step: (step) => editor.step(step),
    } satisfies Structured;
  },
  adopt,
};

/**
 * Returns a wire value as TOML data. A number without a fraction becomes a whole number, unless the field now holds a
 * float. A string stays a string, even if it replaces a date.
 */
function adopt(value: Json, old: Data | undefined, key: Key): Attempt<Data> {
  if (value === null)
    return new StructureFailure("invalid_value", `${spell(key)} cannot be null: TOML has no null`, {
      suggestion: "Give a value, or remove the field's line with edit.replace.",
    });
  if (typeof value === "number")
    return typeof old === "number" || !Number.isSafeInteger(value) ? value : BigInt(value);
  if (typeof value === "bigint") return adoptWhole(value, old, key);
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json, i) => adopt(item, likeness(old, i), [...key, i]));
    return items.find((item) => item instanceof StructureFailure) ?? (items as Data[]);
  }
  const table = new Map<string, Data>();
  for (const [name, item] of Object.entries(value)) {
    const adopted = adopt(item, isMap(old) ? old.get(name) : undefined, [...key, name]);
    if (adopted instanceof StructureFailure) return adopted;
    table.set(name, adopted);
  }
  return table;
}

/** Returns a whole number beyond 2^53 as TOML data; a float field takes it if the float is exactly it. */
function adoptWhole(value: bigint, old: Data | undefined, key: Key): Attempt<Data> {
  if (typeof old === "number" && BigInt(Number(value)) === value) return Number(value);
  if (typeof old !== "number" && BigInt.asIntN(64, value) === value) return value;
  const problem =
    typeof old === "number"
      ? "the field is a float, which would round it"
      : "a whole number of TOML has at most 64 bits";
  return new StructureFailure("invalid_value", `${spell(key)} cannot be ${value}: ${problem}`, {
    suggestion: "Give it as a string, or change the field's line with edit.replace.",
  });
}

/**
 * Returns the old item that a new item resembles: the one at its index, or the last one. So a list of floats grows by
 * floats.
 */
function likeness(old: Data | undefined, index: number): Data | undefined {
  return isList(old) ? (old[index] ?? old.at(-1)) : undefined;
}

function scanned(text: string): ReturnType<typeof build> | undefined {
  try {
    return build(scan(text));
  } catch (error) {
    if (error instanceof ScanError) return undefined;
    throw error;
  }
}

function parsed(text: string): Attempt<unknown> {
  try {
    return toml().parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof toml().TomlError)) throw error;
    const problem = error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "");
    return new StructureFailure("invalid_document", `this is not valid TOML: ${problem}`, {
      line: error.line,
    });
  }
}

/** Returns a date that no calendar has, as 2021-02-30; the parser does not look for it. */
function impossibleDate(data: Data): Stamp | undefined {
  if (data instanceof Stamp) {
    const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(data.text) ?? [];
    if (year === undefined) return undefined;
    const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
    return Number(day) > days ? data : undefined;
  }
  const parts = isList(data) ? data : isMap(data) ? [...data.values()] : [];
  for (const part of parts) {
    const found = impossibleDate(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the value that a one-line text spells. */
export function readValue(source: string): Attempt<Data> {
  const line = `x=${source}`;
  const value = parsed(line);
  if (value instanceof StructureFailure) return value;
  const [statement, ...others] = scan(line);
  if (statement?.kind !== "pair" || others.length > 0 || statement.to !== line.length)
    return new StructureFailure("invalid_value", "this is more than one TOML value");
  const data = dataOf(statement.value);
  const impossible = impossibleDate(data);
  if (impossible !== undefined) return new StructureFailure("invalid_value", `${impossible.text} is no date`);
  const lost = lostNumber(line, statement.value);
  if (lost !== undefined)
    return new StructureFailure("invalid_value", `a float of TOML would change ${lost}`, {
      suggestion: "Give it with fewer digits, or as text.",
    });
  return data;
}

/** Returns the spelling of a float that a double does not hold. */
function lostNumber(text: string, value: Value): string | undefined {
  if (value.kind === "scalar") {
    const spelled = text.slice(value.from, value.to);
    const isLost =
      typeof value.data === "number" && /\d/.test(spelled) && !isHeld(spelled.replaceAll("_", ""));
    return isLost ? spelled : undefined;
  }
  const parts = value.kind === "array" ? value.items : value.pairs.map((pair) => pair.value);
  return parts.map((part) => lostNumber(text, part)).find((lost) => lost !== undefined);
}

/** Returns true when the scanner's data equals the parser's. */
function agrees(data: Data, parsed: unknown): boolean {
  if (data instanceof Stamp)
    return (
      parsed instanceof toml().TomlDate &&
      new (toml().TomlDate)(data.text).toISOString() === parsed.toISOString()
    );
  if (isList(data))
    return (
      Array.isArray(parsed) &&
      parsed.length === data.length &&
      data.every((item, i) => agrees(item, parsed[i]))
    );
  if (!isMap(data)) return Object.is(data, parsed);
  if (typeof parsed !== "object" || parsed === null || Object.keys(parsed).length !== data.size) return false;
  const fields = parsed as Record<string, unknown>;
  return [...data].every(([key, item]) => Object.hasOwn(fields, key) && agrees(item, fields[key]));
}
