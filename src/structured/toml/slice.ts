import type { Json, Key } from "../data.ts";
import { nextLine } from "../edits.ts";
import { LEAST_UNITS, type Slice } from "../slice.ts";
import { keyOf, ScanError, scan } from "./scan.ts";
import { samePath, startsWith } from "./tree.ts";

/** Whole lines of a document. */
interface Lines {
  readonly from: number;
  readonly to: number;
}

/** The lines from a header to the next one; the first section has no header. */
interface Section extends Lines {
  /** The path of the header, with the indexes of items of arrays of tables. */
  readonly path: Key;
}

/** The parts of a document, as far as an edit of one field needs to know. */
interface Outline {
  readonly sections: readonly Section[];
  /** The pair that holds the field, without the keys of its section. */
  readonly pair: (Lines & { readonly section: Key }) | undefined;
  /** The last pair above all headers. */
  readonly first: Lines | undefined;
  /** True if the first part of the key is a name of the document. */
  readonly isKnown: boolean;
}

/** Finds the part of a large document that an edit of the field at `key` concerns (I14). */
export function sliceOf(text: string, key: Key, value: Json): Slice | undefined {
  if (text.length < LEAST_UNITS || key.length === 0) return undefined;
  const outline = new Reader(text, key).outline();
  if (outline === undefined) return undefined;
  const { sections, pair, first, isKnown } = outline;
  if (pair !== undefined) return sliceAt(pair, key.slice(pair.section.length));
  if (isKnown) return sectionSlice(sections, key, value);
  if (typeof key[1] === "number") return undefined;
  const near = sections.length > 1 && (key.length > 1 || isTables(value)) ? sections.at(-1) : first;
  return near && sliceAt(near, key);
}

/** Returns the section of the innermost table on the path, with all sections of its own tables. */
function sectionSlice(sections: readonly Section[], key: Key, value: Json): Slice | undefined {
  const paths = sections.map(({ path }) => path).filter((path) => path.length > 0 && startsWith(key, path));
  const path = paths.reduce<Key>((longest, one) => (one.length > longest.length ? one : longest), []);
  const first = sections.findIndex((section) => path.length > 0 && samePath(section.path, path));
  const isOwn = (section: Section) => startsWith(section.path, path);
  const last = sections.findLastIndex(isOwn);
  if (first < 0 || !sections.slice(first, last + 1).every(isOwn) || sections.findIndex(isOwn) < first)
    return undefined;
  // A value in place of the table itself belongs to another section.
  if (path.length === key.length && !isTables(value)) return undefined;
  const lines = { from: sections[first]!.from, to: sections[last]!.to };
  const names = path.filter((part) => typeof part === "string");
  // Alone, the item of an array of tables is the first one.
  const alone = typeof path.at(-1) === "number" ? [...names, 0] : names;
  return sliceAt(lines, [...alone, ...key.slice(path.length)]);
}

function sliceAt({ from, to }: Lines, key: Key): Slice {
  return { from, to, key, lead: "" };
}

/** True for a value that TOML writes as tables with headers. */
function isTables(value: Json): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((item) => isTables(item) && !Array.isArray(item));
  return typeof value === "object" && value !== null;
}

/** The most names of a header; the path of each is looked up. */
const MOST_NAMES = 50;

/** Reads where statements begin and end, without their values. */
class Reader {
  readonly #text: string;
  readonly #key: Key;
  readonly #sections: { readonly path: Key; readonly from: number; to: number }[] = [];
  readonly #paths = new Set<string>();
  /** The number of items of each array of tables, by its path. */
  readonly #items = new Map<string, number>();
  #pair: Outline["pair"];
  #first: Lines | undefined;
  #isKnown = false;

  constructor(text: string, key: Key) {
    this.#text = text;
    this.#key = key;
    this.#sections.push({ path: [], from: 0, to: text.length });
  }

  /** Returns undefined for a text whose statements this reader does not understand. */
  outline(): Outline | undefined {
    for (let at = 0; at < this.#text.length; ) {
      const start = matchEnd(/[ \t]*/y, this.#text, at);
      const first = this.#text[start];
      const next =
        first === undefined || first === "#" || first === "\n" || first === "\r"
          ? nextLine(this.#text, start)
          : first === "["
            ? this.#header(at, start)
            : this.#statement(at, start);
      if (next === undefined) return undefined;
      at = next;
    }
    const [sections, pair, first, isKnown] = [this.#sections, this.#pair, this.#first, this.#isKnown];
    return { sections, pair, first, isKnown };
  }

  #header(line: number, start: number): number | undefined {
    const next = nextLine(this.#text, start);
    const [, array, plain] =
      /^\[(\[?)([\w.-]+)\]\]?[ \t]*(?:#.*)?\r?\n?$/.exec(this.#text.slice(start, next)) ?? [];
    const names = plain === undefined ? headerNames(this.#text.slice(start, next)) : plain.split(".");
    const isArray = array === undefined ? this.#text.startsWith("[[", start) : array !== "";
    if (names === undefined || names.length > MOST_NAMES) return undefined;
    const { path, id } = this.#pathOf(names, isArray);
    if (this.#paths.size === this.#paths.add(id).size) return undefined;
    this.#sections.at(-1)!.to = line;
    this.#sections.push({ path, from: line, to: this.#text.length });
    if (names[0] === this.#key[0]) this.#isKnown = true;
    return next;
  }

  /** Returns the path of a header, also as a text; the header of an array of tables adds an item. */
  #pathOf(names: readonly string[], isArray: boolean): { path: Key; id: string } {
    const path: (string | number)[] = [];
    let id = "";
    for (const [i, name] of names.entries()) {
      path.push(name);
      id += `.${name.length}:${name}`;
      const count = this.#items.get(id) ?? 0;
      const isNew = isArray && i === names.length - 1;
      if (isNew) this.#items.set(id, count + 1);
      if (!isNew && count === 0) continue;
      const index = isNew ? count : count - 1;
      path.push(index);
      id += `[${index}]`;
    }
    return { path, id };
  }

  #statement(line: number, start: number): number | undefined {
    const keyEnd = matchEnd(KEY, this.#text, start);
    const equals = matchEnd(/[ \t]*=[ \t]*/y, this.#text, keyEnd);
    const to = keyEnd === start || equals === keyEnd ? undefined : valueEnd(this.#text, equals);
    if (to === undefined) return undefined;
    const next = nextLine(this.#text, to);
    if (!/^[ \t]*(?:#.*)?\r?\n?$/.test(this.#text.slice(to, next))) return undefined;
    const { path: section } = this.#sections.at(-1)!;
    if (section.length === 0) this.#first = { from: line, to: next };
    if (!startsWith(this.#key, section)) return next;
    const names = pairNames(this.#text.slice(start, keyEnd));
    if (names === undefined) return undefined;
    if (section.length === 0 && names[0] === this.#key[0]) this.#isKnown = true;
    if (!startsWith(this.#key.slice(section.length), names)) return next;
    if (this.#pair !== undefined) return undefined;
    this.#pair = { from: line, to: next, section };
    return next;
  }
}

/** A key of a pair, bare or quoted, with dots. */
const PART = String.raw`(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const KEY = new RegExp(String.raw`${PART}(?:[ \t]*\.[ \t]*${PART})*`, "y");

function pairNames(spelled: string): Key | undefined {
  if (/^[\w-]+$/.test(spelled)) return [spelled];
  const [pair] = statements(`${spelled}=0`) ?? [];
  return pair?.kind === "pair" ? keyOf(pair) : undefined;
}

function headerNames(line: string): readonly string[] | undefined {
  const [header, more] = statements(line) ?? [];
  return header?.kind === "header" && more === undefined ? header.keys.map(({ name }) => name) : undefined;
}

function statements(text: string): ReturnType<typeof scan> | undefined {
  try {
    return scan(text);
  } catch (error) {
    if (error instanceof ScanError) return undefined;
    throw error;
  }
}

/** Returns the end of the value that begins at an index; undefined for one that does not end. */
function valueEnd(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const char = text[at]!;
    if (char === '"' || char === "'") {
      const end = stringEnd(text, at, char);
      if (end === undefined || depth === 0) return end;
      at = end;
    } else if (char === "#" && depth > 0) at = nextLine(text, at);
    else if (char === "[" || char === "{") {
      depth++;
      at++;
    } else if (char === "]" || char === "}") {
      at++;
      if (--depth <= 0) return at;
    } else {
      at = matchEnd(/[^"'#[\]{}\r\n]*[\r\n]*/y, text, at);
      if (depth === 0) return matchEnd(/[^#\r\n]*/y, text, from);
    }
  }
  return undefined;
}

const LITERAL = /'''[\s\S]*?''''{0,2}|'[^'\n]*'/y;
const BASIC = /"""[^"\\]*(?:(?:\\[\s\S]|""?(?!"))[^"\\]*)*""""{0,2}|"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y;

function stringEnd(text: string, from: number, quote: string): number | undefined {
  const string = quote === "'" ? LITERAL : BASIC;
  const end = matchEnd(string, text, from);
  return end === from ? undefined : end;
}

/** Returns the index after a match of a sticky pattern; the index itself where the pattern does not match. */
function matchEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
