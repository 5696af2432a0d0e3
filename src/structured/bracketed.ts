import { breakAt, type Eol, type IndexEdit, indentAt, lineEnd, lineStart, nextLine } from "./edits.ts";

/** A list of items between brackets, separated by commas: an array, object or inline table. */
export interface Bracketed {
  /** The range between the brackets. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly { readonly from: number; readonly to: number }[];
  /** Matches a comment of the format at its start. */
  readonly comment: RegExp;
}

/** The style of an insertion, for a list that does not show one. */
export interface ListStyle {
  /** The padding inside the brackets of a list on one line, and the gap after its commas. */
  readonly pad: string;
  readonly gap: string;
  /** One level of indentation; set when an empty list gets one line per item. */
  readonly unit?: string;
  readonly eol: Eol;
}

/** Inserts `text` before item `index`, or after the last one. */
export function insertItem(
  source: string,
  list: Bracketed,
  index: number,
  text: string,
  style: ListStyle,
): IndexEdit[] {
  if (list.items.length === 0) return [intoEmpty(source, list, text, style)];
  if (index === 0) {
    const first = list.items[0]!;
    const gap = ownLine(source, first.from)
      ? style.eol + indentAt(source, first.from)
      : gapOf(source, list, index, style);
    return [{ from: first.from, to: first.from, insert: `${text},${gap}` }];
  }
  const before = list.items[index - 1]!;
  const comma = commaAfter(source, list, index - 1);
  const last = index === list.items.length;
  if (!ownLine(source, before.from)) {
    const gap = gapOf(source, list, index, style);
    const place = comma === undefined ? before.to : comma + 1;
    return [insertion(place, comma === undefined ? `,${gap}${text}` : `${gap}${text},`)];
  }
  const place = restOfLine(source, list, comma === undefined ? before.to : comma + 1);
  const line = `${breakAt(source, place, style.eol)}${indentAt(source, before.from)}${text}${last && comma === undefined ? "" : ","}`;
  return comma === undefined ? [insertion(before.to, ","), insertion(place, line)] : [insertion(place, line)];
}

/** Removes item `index`, with its line if the item is alone on it. */
export function removeItem(source: string, list: Bracketed, index: number): IndexEdit[] {
  const item = list.items[index]!;
  const next = list.items[index + 1];
  const before = list.items[index - 1];
  const comma = commaAfter(source, list, index);
  // The comma before the item no longer separates anything.
  const spare =
    next === undefined && comma === undefined && before ? commaAfter(source, list, index - 1) : undefined;
  const after = comma === undefined ? item.to : comma + 1;
  const end = restOfLine(source, list, after);
  if (ownLine(source, item.from) && end === lineEnd(source, after) && nextLine(source, end) <= list.to) {
    const cut = { from: lineStart(source, item.from), to: nextLine(source, end), insert: "" };
    return spare === undefined ? [cut] : [{ from: spare, to: spare + 1, insert: "" }, cut];
  }
  if (next !== undefined && blank(source.slice(after, next.from)))
    return [{ from: item.from, to: next.from, insert: "" }];
  if (spare !== undefined && blank(source.slice(spare + 1, item.from)))
    return [{ from: spare, to: item.to, insert: "" }];
  const cut = { from: item.from, to: after, insert: "" };
  return spare === undefined ? [cut] : [{ from: spare, to: spare + 1, insert: "" }, cut];
}

function intoEmpty(source: string, list: Bracketed, text: string, { pad, unit, eol }: ListStyle): IndexEdit {
  const inner = source.slice(list.from, list.to);
  const outer = indentAt(source, list.from);
  if (inner.includes("\n")) {
    const place = list.from + inner.trimEnd().length;
    return insertion(place, `${breakAt(source, place, eol)}${outer}${unit ?? "  "}${text}`);
  }
  if (inner.trim() !== "") return insertion(list.to, `${text}${pad}`);
  const insert = unit === undefined ? `${pad}${text}${pad}` : `${eol}${outer}${unit}${text}${eol}${outer}`;
  return { from: list.from, to: list.to, insert };
}

/** Returns the gap between two items on one line, as the two items nearest before item `index` have it. */
function gapOf(source: string, { items }: Bracketed, index: number, style: ListStyle): string {
  if (items.length < 2) return style.gap;
  const second = Math.max(1, index - 1);
  return /\s/.test(source.slice(items[second - 1]!.to, items[second]!.from)) ? " " : "";
}

/** Returns the index of the comma after an item; undefined when there is none. */
function commaAfter(source: string, list: Bracketed, index: number): number | undefined {
  const end = list.items[index + 1]?.from ?? list.to;
  for (let i = list.items[index]!.to; i < end; ) {
    if (source[i] === ",") return i;
    i += commentAt(source, list, i) || 1;
  }
  return undefined;
}

/**
 * Returns the index after the comments that follow on the same line, if the line has nothing else; otherwise `from`.
 */
function restOfLine(source: string, list: Bracketed, from: number): number {
  const end = Math.min(lineEnd(source, from), list.to);
  for (let i = from; i < end; ) {
    const comment = commentAt(source, list, i);
    if (comment === 0 && !/\s/.test(source[i]!)) return from;
    if (i + comment > end) return from;
    i += comment || 1;
  }
  return end === list.to && end !== lineEnd(source, from) ? from : end;
}

/** Returns the size of the comment that begins at an index; 0 where none begins. */
function commentAt(source: string, { comment }: Bracketed, index: number): number {
  const rest = source.slice(index, nextLine(source, index));
  const found = comment.exec(rest);
  if (found === null) return 0;
  if (!rest.startsWith("/*")) return found[0].length;
  const end = source.indexOf("*/", index);
  return (end < 0 ? source.length : end + 2) - index;
}

function ownLine(source: string, index: number): boolean {
  return blank(source.slice(lineStart(source, index), index));
}

function blank(s: string): boolean {
  return s.trim() === "";
}

function insertion(at: number, insert: string): IndexEdit {
  return { from: at, to: at, insert };
}
