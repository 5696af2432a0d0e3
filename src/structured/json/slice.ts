import type { Key } from "../data.ts";
import { indentAt, lineStart } from "../edits.ts";
import { LEAST_UNITS, type Slice } from "../slice.ts";
import { plainJson, stringEnd } from "./plain.ts";

/** A field or item: the start of its key, and the range of its value. An item has no key and starts at its value. */
interface Item {
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

/** An object or array, as far as an edit of one part of it needs to know. */
interface Container {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly found: Item | undefined;
  /** The last two fields or items; undefined for an empty container. */
  readonly last: readonly [Item, Item] | undefined;
}

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The most levels of a key; the text of each is read again. */
const MOST_LEVELS = 20;

/** Finds the part of a large document that an edit of the field at `key` concerns (I14). `commas` as in `plainJson`. */
export function sliceOf(text: string, key: Key, commas: boolean): Slice | undefined {
  if (text.length < LEAST_UNITS || key.length > MOST_LEVELS) return undefined;
  const json = isStrict(text) ? text : plainJson(text, commas);
  if (json === undefined || (json !== text && !isStrict(json))) return undefined;
  let value = valueAt(json, 0);
  for (const [depth, part] of key.entries()) {
    const container = containerAt(json, value.from, part);
    if (container === undefined) return undefined;
    if (container.found === undefined) return end(text, container, [part, ...key.slice(depth + 1)]);
    value = container.found;
  }
  const { start, from, to } = value;
  const lead = indentAt(text, start);
  // A value takes the indentation of its key's line, and its items that of its own.
  return key.length === 0 || lead !== indentAt(text, from) ? undefined : { from, to, key: [], lead };
}

/** The engine's own parser reads 500 KB in a few milliseconds. */
function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the end of an object or array, to which a part is added. */
function end(text: string, { from, to, count, last }: Container, [part, ...rest]: Key): Slice | undefined {
  const isList = text.charCodeAt(from) === OPEN_ARRAY;
  if (isList ? part !== count : typeof part === "number") return undefined;
  const [item] = last ?? [];
  const shows = (start: number) => text.slice(start, to).includes("\n");
  if (item === undefined || shows(item.start) !== shows(from))
    return { from, to, key: [part!, ...rest], lead: indentAt(text, from) };
  const line = lineStart(text, item.start);
  const isOwnLine = text.slice(line, item.start).trim() === "";
  return {
    from: isOwnLine ? line : item.start,
    to,
    key: [isList ? Math.min(count, 2) : part!, ...rest],
    lead: isOwnLine ? `${text[from]}\n` : indentAt(text, item.start) + text[from],
  };
}

/** Reads an object or array at an index; undefined for another value, and where a key occurs twice. */
function containerAt(text: string, from: number, part: string | number): Container | undefined {
  const open = text.charCodeAt(from);
  if (open !== OPEN_ARRAY && open !== OPEN_OBJECT) return undefined;
  const close = open === OPEN_ARRAY ? CLOSE_ARRAY : CLOSE_OBJECT;
  const names = new Set<string>();
  let found: Item | undefined;
  let [count, before, last]: [number, Item | undefined, Item | undefined] = [0, undefined, undefined];
  let at = afterSpace(text, from + 1);
  while (text.charCodeAt(at) !== close) {
    const start = at;
    let name: string | number = count;
    if (open === OPEN_OBJECT) {
      at = stringEnd(text, at);
      const spelled = text.slice(start + 1, at - 1);
      name = spelled.includes("\\") ? (JSON.parse(`"${spelled}"`) as string) : spelled;
      if (names.size === names.add(name).size) return undefined;
      at = afterSpace(text, at) + 1;
    }
    const value = valueAt(text, at);
    [before, last] = [
      last,
      { start: open === OPEN_OBJECT ? start : value.from, from: value.from, to: value.to },
    ];
    if (name === part) found = last;
    count++;
    at = afterSpace(text, value.to);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  return { from, to: at + 1, count, found, last: last && [before ?? last, last] };
}

/** Returns the range of the value that follows an index. */
function valueAt(text: string, index: number): Item {
  const from = afterSpace(text, index);
  const first = text.charCodeAt(from);
  const to =
    first === QUOTE
      ? stringEnd(text, from)
      : first === OPEN_ARRAY || first === OPEN_OBJECT
        ? bracketsEnd(text, from)
        : wordEnd(text, from);
  return { start: from, from, to };
}

function bracketsEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; ; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = stringEnd(text, at) - 1;
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) depth++;
    else if ((char === CLOSE_ARRAY || char === CLOSE_OBJECT) && --depth === 0) return at + 1;
  }
}

function wordEnd(text: string, from: number): number {
  const word = /[^,\]}\s]+/y;
  word.lastIndex = from;
  word.test(text);
  return word.lastIndex;
}

function afterSpace(text: string, index: number): number {
  let at = index;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}
