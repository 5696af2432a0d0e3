import { type Data, isList, isMap, Stamp } from "../data.ts";
import { writeValue } from "../toml/write.ts";
import { FENCE } from "./sections.ts";

/** The text of values in a view: as a person would write them, and in TOML where that would be unclear. */

export const NOT_SET = "*(not set)*";

/** The kinds of fields. The reader parses plain text as the kind that the field has now. */
export type NotationKind = "text" | "number" | "boolean" | "date" | "list" | "table";

export function notationKindOf(data: Data): NotationKind {
  if (isList(data)) return "list";
  if (isMap(data)) return "table";
  if (data instanceof Stamp) return "date";
  if (typeof data === "boolean") return "boolean";
  return typeof data === "string" ? "text" : "number";
}

/** Returns the text of a value that is no table; `source` is its spelling in the document. */
export function show(data: Data, source: string): string {
  if (isList(data)) return data.length === 0 ? codeSpan("[]") : showList(data);
  if (typeof data !== "string") return plain(data, source);
  if (isPlain(data)) return data;
  // Line breaks other than `\n`, and invisible characters, appear as escapes.
  return /[^\P{Cc}\t\n]|\p{Cs}/u.test(data) ? codeSpan(writeValue(data)) : fence(data, "text");
}

function plain(data: Data, source: string): string {
  return typeof data === "boolean" ? (data ? "Yes" : "No") : source;
}

function showList(items: readonly Data[]): string {
  const kind = itemKind(items);
  return items.map((item) => `- ${showItem(item, kind)}`).join("\n");
}

/**
 * Returns the kind of a list's items if all have one kind; otherwise `text`, and items of other kinds are in
 * backticks.
 */
export function itemKind(items: readonly Data[]): NotationKind {
  const [kind = "text", ...others] = new Set(items.map(notationKindOf));
  const numbers = new Set(items.map((item) => typeof item));
  return others.length > 0 || numbers.size > 1 || kind === "list" || kind === "table" ? "text" : kind;
}

function showItem(item: Data, kind: NotationKind): string {
  if (typeof item === "string" && isPlain(item) && !item.includes("\n")) return item;
  if (notationKindOf(item) === kind && kind !== "text") return plain(item, writeValue(item));
  return codeSpan(writeValue(item));
}

/** Returns true when a string can appear unchanged, because no part of it reads as anything but text. */
function isPlain(text: string): boolean {
  if (text === "" || text !== text.trim() || text === NOT_SET || inCode(text) !== undefined) return false;
  const lines = text.split("\n");
  return (
    !/[^\P{Cc}\t\n]|\p{Cs}/u.test(text) &&
    !lines.some((line) => /^#+(?:[ \t]|$)/.test(line) || FENCE.test(line)) &&
    listItems(text) === undefined
  );
}

/** Returns the items of a body that is only a list. */
export function listItems(body: string): string[] | undefined {
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0 || !lines.every((line) => /^-(?:[ \t]|$)/.test(line))) return undefined;
  return lines.map((line) => line.slice(1).trim());
}

/** Returns text as a Markdown code span with more backticks than any run inside it. */
export function codeSpan(text: string): string {
  const mark = "`".repeat(longest(text) + 1);
  return mark + text + mark;
}

/** Returns the text in a code span that is the whole body. */
export function inCode(body: string): string | undefined {
  const mark = /^`+/.exec(body)?.[0];
  if (mark === undefined || body.includes("\n") || body.length <= 2 * mark.length) return undefined;
  const inner = body.slice(mark.length, -mark.length);
  const whole = body.endsWith(mark) && !inner.endsWith("`") && !inner.split(/[^`]+/).includes(mark);
  return whole ? inner : undefined;
}

/** Returns verbatim text between lines of backticks, which are longer than any run inside it. */
export function fence(text: string, info: string): string {
  const mark = "`".repeat(Math.max(3, longest(text) + 1));
  return `${mark}${info}\n${text}\n${mark}`;
}

/** Returns the text in a fence that is the whole body. */
export function inFence(body: string, info: string): string | undefined {
  const lines = body.split("\n");
  const mark = /^`{3,}/.exec(lines[0]!)?.[0];
  if (mark === undefined || lines.length < 3 || lines[0]!.trimEnd() !== mark + info) return undefined;
  const end = lines.findIndex((line, i) => i > 0 && line.startsWith(mark) && /^`+[ \t]*$/.test(line));
  return end === lines.length - 1 ? lines.slice(1, -1).join("\n") : undefined;
}

function longest(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
