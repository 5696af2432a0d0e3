import { type Data, isList, isMap, type Key, Stamp } from "../data.ts";

/** Returns a key as TOML: bare where possible. */
export function writeKey(key: Key): string {
  return key
    .filter((part) => typeof part === "string")
    .map((name) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : basic(name)))
    .join(".");
}

/** Returns a value as TOML on one line. */
export function writeValue(value: Data): string {
  if (typeof value === "string") return basic(value);
  if (typeof value === "number") return float(value);
  if (value instanceof Stamp) return value.text;
  if (isList(value)) return `[${value.map(writeValue).join(", ")}]`;
  if (!isMap(value)) return String(value);
  if (value.size === 0) return "{}";
  return `{ ${[...value].map(([key, item]) => `${writeKey([key])} = ${writeValue(item)}`).join(", ")} }`;
}

/** Returns a string in the style of the string it replaces, where possible. */
export function writeString(value: string, old: string, eol: string): string {
  const spread = value.includes("\n") && eol === "\n";
  if (old.startsWith("'''") && (spread || !value.includes("\n")) && !/'''|'$|[^\P{Cc}\t\n]/u.test(value))
    return `'''${/^'''\r?\n/.test(old) || value.startsWith("\n") ? eol : ""}${value}'''`;
  if (old.startsWith("'") && !old.startsWith("'''") && !/'|[^\P{Cc}\t]/u.test(value)) return `'${value}'`;
  return spread ? lines(value) : basic(value);
}

/** Returns a string over several lines; the first character of a line stays at the line's start. */
export function lines(value: string): string {
  const body = value.split("\n").map((line) => basic(line).slice(1, -1).replaceAll('\\"', '"'));
  return `"""\n${body.join("\n").replaceAll('""', '"\\"').replace(/"$/, '\\"')}"""`;
}

function basic(value: string): string {
  // TOML accepts all of JSON's escapes; JSON leaves DEL unescaped, and Unicode's line ends, which readers of lines split at.
  return JSON.stringify(value).replace(
    /[\x7f\x85\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function float(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const digits = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(digits) ? digits.replace("e+", "e") : `${digits}.0`;
}

/** Returns a table as a section, with its tables and arrays of tables as sections below it. */
function writeSection(path: Key, table: ReadonlyMap<string, Data>, array: boolean): string[] {
  const name = writeKey(path);
  const own: string[] = [array ? `[[${name}]]` : `[${name}]`];
  const below: string[] = [];
  for (const [key, value] of table) {
    if (!isSections(value)) own.push(`${writeKey([key])} = ${writeValue(value)}`);
    else below.push("", ...writeSections([...path, key], value));
  }
  return [...own, ...below];
}

/** Returns true for a value that is written as sections: a table, or a list of only tables. */
export function isSections(
  value: Data,
): value is ReadonlyMap<string, Data> | readonly ReadonlyMap<string, Data>[] {
  return isMap(value) || (isList(value) && value.length > 0 && value.every(isMap));
}

export function writeSections(
  path: Key,
  value: ReadonlyMap<string, Data> | readonly ReadonlyMap<string, Data>[],
): string[] {
  if (!isList(value)) return writeSection(path, value as ReadonlyMap<string, Data>, false);
  return value.flatMap((table, i) => [
    ...(i > 0 ? [""] : []),
    ...writeSection(path, table as ReadonlyMap<string, Data>, true),
  ]);
}
