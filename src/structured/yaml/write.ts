import type { Scalar } from "yaml";
import { type Data, isList, isMap } from "../data.ts";
import { yaml } from "./package.ts";

/** The style of nested blocks in a document. */
export interface BlockStyle {
  /** The number of spaces of one level. */
  readonly indent: number;
  /** True when a list is indented deeper than its key. */
  readonly indentSeq: boolean;
  readonly eol: string;
}

const OPTIONS = {
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  // Strings that older readers parse as booleans are quoted.
  compat: "yaml-1.1",
} as const;

/** Returns `key: value` (or `- value` without a key), with its further lines indented by `column` spaces. */
export function writeBlock(
  key: string | undefined,
  value: unknown,
  style: BlockStyle,
  column: number,
): string {
  const { indent, indentSeq, eol } = style;
  const whole = key === undefined ? [value] : new Map([[key, value]]);
  const [first, ...rest] = yaml()
    .stringify(whole, { ...OPTIONS, indent, indentSeq })
    .replace(/\n$/, "")
    .split("\n");
  return [first, ...rest.map((line) => (line === "" ? line : " ".repeat(column) + line))].join(eol);
}

/** Returns a value on one line, as it can appear between brackets. */
export function writeFlow(value: Data, quotes?: Scalar.Type | null): string {
  return yaml()
    .stringify([onOneLine(value, quotes)], { ...OPTIONS, collectionStyle: "flow" })
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
  if (isMap(value)) return new Map([...value].map(([key, item]) => [key, writable(item)]));
  if (typeof value !== "string" || !quotes) return value;
  const scalar = new (yaml().Scalar)(value);
  scalar.type = quotes;
  return scalar;
}

/** Returns a key as it appears in a path: its text, whatever its type. */
export function yamlNameOf(key: unknown): string {
  return typeof key === "object" && key !== null ? `? ${String(key)}` : String(key);
}
