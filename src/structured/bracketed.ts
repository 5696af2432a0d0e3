import { type IndexEdit, indentAt, lineEnd, lineStart, nextLine } from "./edits.ts";

/** A list of items between brackets, parted by commas: an array, object or inline table. */
export interface Bracketed {
  /** Just inside the brackets. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly { readonly from: number; readonly to: number }[];
  /** How the format's comments look, at the place where they begin. */
  readonly comment: RegExp;
}

/** What an insertion looks like where the list itself does not show it. */
export interface ListStyle {
  /** Inside the brackets of a list on one line, and behind its commas. */
  readonly pad: string;
  readonly gap: string;
  /** Set where an empty list gets a line an item: one level of indentation. */
  readonly unit?: string;
  readonly eol: string;
}

/** Puts `text` ahead of item `index`, or behind the last one. */
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
      : gapOf(source, list, style);
    return [{ from: first.from, to: first.from, insert: `${text},${gap}` }];
  }
  const before = list.items[index - 1]!;
  const comma = commaAfter(source, list, index - 1);
  const last = index === list.items.length;
  if (!ownLine(source, before.from)) {
    const gap = gapOf(source, list, style);
    const place = comma === undefined ? before.to : comma + 1;
    return [insertion(place, comma === undefined ? `,${gap}${text}` : `${gap}${text},`)];
  }
  const place = restOfLine(source, list, comma === undefined ? before.to : comma + 1);
  const line = `${style.eol}${indentAt(source, before.from)}${text}${last && comma === undefined ? "" : ","}`;
  return comma === undefined ? [insertion(before.to, ","), insertion(place, line)] : [insertion(place, line)];
}

/** Takes item `index` out, with its line where it has one of its own. */
export function removeItem(source: string, list: Bracketed, index: number): IndexEdit[] {
  const item = list.items[index]!;
  const next = list.items[index + 1];
  const before = list.items[index - 1];
  const comma = commaAfter(source, list, index);
  // The comma ahead of it parts nothing any more.
  const spare =
    next === undefined && comma === undefined && before ? commaAfter(source, list, index - 1) : undefined;
  const behind = comma === undefined ? item.to : comma + 1;
  const end = restOfLine(source, list, behind);
  if (ownLine(source, item.from) && end === lineEnd(source, behind) && nextLine(source, end) <= list.to) {
    const cut = { from: lineStart(source, item.from), to: nextLine(source, end), insert: "" };
    return spare === undefined ? [cut] : [{ from: spare, to: spare + 1, insert: "" }, cut];
  }
  if (next !== undefined && blank(source.slice(behind, next.from)))
    return [{ from: item.from, to: next.from, insert: "" }];
  if (spare !== undefined && blank(source.slice(spare + 1, item.from)))
    return [{ from: spare, to: item.to, insert: "" }];
  const cut = { from: item.from, to: behind, insert: "" };
  return spare === undefined ? [cut] : [{ from: spare, to: spare + 1, insert: "" }, cut];
}

function intoEmpty(source: string, list: Bracketed, text: string, { pad, unit, eol }: ListStyle): IndexEdit {
  const inner = source.slice(list.from, list.to);
  const outer = indentAt(source, list.from);
  if (inner.includes("\n")) {
    const place = list.from + inner.trimEnd().length;
    return insertion(place, `${eol}${outer}${unit ?? "  "}${text}`);
  }
  if (inner.trim() !== "") return insertion(list.to, `${text}${pad}`);
  const insert = unit === undefined ? `${pad}${text}${pad}` : `${eol}${outer}${unit}${text}${eol}${outer}`;
  return { from: list.from, to: list.to, insert };
}

/** What stands between two items of one line. */
function gapOf(source: string, { items }: Bracketed, style: ListStyle): string {
  if (items.length < 2) return style.gap;
  return /\s/.test(source.slice(items[0]!.to, items[1]!.from)) ? " " : "";
}

/** Where the comma behind an item stands, if there is one. */
function commaAfter(source: string, list: Bracketed, index: number): number | undefined {
  const end = list.items[index + 1]?.from ?? list.to;
  for (let i = list.items[index]!.to; i < end; ) {
    if (source[i] === ",") return i;
    i += commentAt(source, list, i) || 1;
  }
  return undefined;
}

/** Past the comments that follow on the same line, if the line has nothing more; else where it was. */
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

/** The size of the comment that begins at an index; 0 where none does. */
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
