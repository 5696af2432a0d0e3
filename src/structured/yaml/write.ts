import type { Scalar } from "yaml";
import { type Data, isList, isMap } from "../data.ts";
import { yaml } from "./package.ts";

/** How a document writes nested blocks. */
export interface BlockStyle {
  /** Spaces of one level. */
  readonly indent: number;
  /** Whether a list stands deeper than the key that it belongs to. */
  readonly indentSeq: boolean;
  readonly eol: string;
}

const OPTIONS = {
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  // Strings that older readers take for booleans are quoted.
  compat: "yaml-1.1",
} as const;

/** `key: value` (or `- value` without a key), its further lines indented by `column` spaces. */
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

/** A value on one line, as it may stand between brackets. */
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

/** What is given to the writer: a string keeps the quotes that the one before it had. */
export function writable(value: Data, quotes?: Scalar.Type | null): unknown {
  if (isList(value)) return value.map((item) => writable(item));
  if (isMap(value)) return new Map([...value].map(([key, item]) => [key, writable(item)]));
  if (typeof value !== "string" || !quotes) return value;
  const scalar = new (yaml().Scalar)(value);
  scalar.type = quotes;
  return scalar;
}

/** A key as a path names it: by its text, whatever its type. */
export function yamlNameOf(key: unknown): string {
  return typeof key === "object" && key !== null ? `? ${String(key)}` : String(key);
}
