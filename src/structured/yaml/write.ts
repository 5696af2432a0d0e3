import type { CreateNodeOptions, Scalar, ToStringOptions } from "yaml";
import { type Data, isList, isMap } from "../data.ts";
import type { Eol } from "../edits.ts";
import { yaml } from "./package.ts";

/** The style of nested blocks in a document. */
export interface BlockStyle {
  /** The number of spaces of one level. */
  readonly indent: number;
  /** True when a list is indented deeper than its key. */
  readonly indentSeq: boolean;
  readonly eol: Eol;
}

const OPTIONS = {
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  // Strings that older readers parse as booleans are quoted.
  compat: "yaml-1.1",
} as const;

/**
 * Characters that a reader of YAML refuses, strips or takes for a line break: controls, noncharacters, byte order marks
 * and Unicode's line ends.
 */
const UNWRITABLE = /[^\P{Cc}\t\n]|[\p{NChar}\ufeff\u2028\u2029]/gu;

/** Returns YAML whose strings have escapes for these characters; `writable` has put those strings into quotes. */
function stringify(value: unknown, options: CreateNodeOptions & ToStringOptions): string {
  return yaml()
    .stringify(value, options)
    .replace(UNWRITABLE, (char) => {
      const hex = char.codePointAt(0)!.toString(16);
      return char.length > 1 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
    });
}

/** Returns `key: value` (or `- value` without a key), with its further lines indented by `column` spaces. */
export function writeBlock(
  key: string | undefined,
  value: unknown,
  style: BlockStyle,
  column: number,
): string {
  const { indent, indentSeq, eol } = style;
  const whole = key === undefined ? [value] : new Map([[writable(key), value]]);
  const [first, ...rest] = stringify(whole, { ...OPTIONS, indent, indentSeq })
    .replace(/\n$/, "")
    .split("\n");
  return [first, ...rest.map((line) => (line === "" ? line : " ".repeat(column) + line))].join(eol);
}

/** Returns a value on one line, as it can appear between brackets. */
export function writeFlow(value: Data, quotes?: Scalar.Type | null): string {
  return stringify([onOneLine(value, quotes)], { ...OPTIONS, collectionStyle: "flow" })
    .trim()
    .slice(1, -1)
    .trim();
}

function onOneLine(value: Data, quotes?: Scalar.Type | null): unknown {
  if (isList(value)) return value.map((item) => onOneLine(item));
  if (isMap(value)) return new Map([...value].map(([key, item]) => [onOneLine(key), onOneLine(item)]));
  const broken = typeof value === "string" && value.includes("\n");
  return writable(value, broken ? yaml().Scalar.QUOTE_DOUBLE : quotes);
}

/** Returns a value for the writer; a string keeps the quotes of the string it replaces. */
export function writable(value: Data, quotes?: Scalar.Type | null): unknown {
  if (isList(value)) return value.map((item) => writable(item));
  if (isMap(value)) return new Map([...value].map(([key, item]) => [writable(key), writable(item)]));
  if (typeof value !== "string") return value;
  const type = value.search(UNWRITABLE) < 0 ? quotes : yaml().Scalar.QUOTE_DOUBLE;
  if (!type) return value;
  const scalar = new (yaml().Scalar)(value);
  scalar.type = type;
  return scalar;
}

/** Returns a key as it appears in a path: its text, for every type. */
export function yamlNameOf(key: unknown): string {
  return typeof key === "object" && key !== null ? `? ${String(key)}` : String(key);
}
