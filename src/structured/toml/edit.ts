import { type Bracketed, insertItem, removeItem } from "../bracketed.ts";
import { type Data, isMap, type Key, spell } from "../data.ts";
import { breakAt, type Eol, type IndexEdit, indentAt, lineEnd, lineStart, nextLine } from "../edits.ts";
import { type Attempt, StructureFailure } from "../failure.ts";
import type { PathStep } from "../format.ts";
import { type Inline, type Items, keyOf, type TomlPair, type Value } from "./scan.ts";
import { type Placed, samePath, startsWith } from "./tree.ts";
import { isSections, lines, writeKey, writeSections, writeString, writeValue } from "./write.ts";

/** The target of a key: a value, a missing part inside a value, or tables made by headers and dots. */
interface Found {
  /** The innermost list or inline table on the path, and the rest of the key inside it. */
  readonly within: { readonly list: Items | Inline; readonly rest: Key } | undefined;
  readonly value: Value | undefined;
}

/** Edits a TOML document step by step, in its own style. */
export class TomlEditor {
  readonly #text: string;
  readonly #placed: readonly Placed[];
  readonly #pairs = new Map<string, TomlPair>();
  readonly #eol: Eol;

  constructor(text: string, eol: Eol, placed: readonly Placed[]) {
    this.#text = text;
    this.#placed = placed;
    for (const statement of placed)
      if (statement.kind === "pair") this.#pairs.set(JSON.stringify(statement.path), statement);
    this.#eol = eol;
  }

  /** Returns true when one value is at the key, rather than a table made by headers or dotted keys. */
  holds(key: Key): boolean {
    return this.#find(key).value !== undefined;
  }

  step(step: PathStep): Attempt<readonly IndexEdit[]> {
    const { within, value } = this.#find(step.key);
    if (step.kind === "replace" && value !== undefined) return [this.#replaced(value, step.value)];
    if (step.kind === "remove") return within ? this.#removeWithin(within) : this.#remove(step.key);
    if (within !== undefined) return this.#addWithin(within, step.value);
    return typeof step.key.at(-1) === "number"
      ? this.#addElement(step.key, step.value)
      : this.#addField(step.key, step.value);
  }

  #find(key: Key): Found {
    let size = key.length;
    while (size > 0 && !this.#pairs.has(JSON.stringify(key.slice(0, size)))) size--;
    let value = this.#pairs.get(JSON.stringify(key.slice(0, size)))?.value;
    let rest = key.slice(size);
    let within: Found["within"];
    while (rest.length > 0 && value !== undefined && value.kind !== "scalar") {
      within = { list: value, rest };
      const [part] = rest;
      if (value.kind === "array") {
        value = typeof part === "number" ? value.items[part] : undefined;
        if (value !== undefined) rest = rest.slice(1);
      } else {
        const inner: TomlPair | undefined = value.pairs.find((candidate) =>
          startsWith(rest, keyOf(candidate)),
        );
        value = inner?.value;
        if (inner !== undefined) rest = rest.slice(inner.keys.length);
      }
    }
    return { within, value: rest.length === 0 ? value : undefined };
  }

  #replaced(value: Value, data: Data): IndexEdit {
    const { from, to } = value;
    const old = this.#text.slice(from, to);
    const insert = typeof data === "string" ? writeString(data, old, this.#eol) : writeValue(data);
    return { from, to, insert };
  }

  #addWithin({ list, rest }: NonNullable<Found["within"]>, value: Data): IndexEdit[] {
    const style = { pad: list.kind === "inline" ? " " : "", gap: " ", eol: this.#eol };
    const [part] = rest;
    const written = writeValue(value);
    return list.kind === "array"
      ? insertItem(this.#text, bracketed(list), part as number, written, style)
      : insertItem(this.#text, bracketed(list), list.pairs.length, `${writeKey(rest)} = ${written}`, style);
  }

  #removeWithin({ list, rest }: NonNullable<Found["within"]>): Attempt<IndexEdit[]> {
    const index =
      list.kind === "array" ? Number(rest[0]) : list.pairs.findIndex((pair) => samePath(keyOf(pair), rest));
    if (index >= 0) return removeItem(this.#text, bracketed(list), index);
    return new StructureFailure(
      "not_carried",
      `${spell(rest)} is written as dotted keys inside an inline table`,
      {
        suggestion: "Edit the text itself with edit.replace.",
      },
    );
  }

  /** Adds a table to an array of tables, before the element with the index in the key's last part. */
  #addElement(key: Key, value: Data): Attempt<IndexEdit[]> {
    const array = key.slice(0, -1);
    if (!isMap(value))
      return new StructureFailure(
        "invalid_value",
        `${spell(array)} is an array of tables; an item must be an object`,
      );
    const section = writeSections(array, [value]);
    const next = this.#header(key);
    return next === undefined ? this.#sectionAfter(array, section) : [this.#above(next, [...section, ""])];
  }

  #addField(key: Key, value: Data): IndexEdit[] {
    const table = key.slice(0, -1);
    const dotted = this.#lastDotted(table);
    if (dotted !== undefined) {
      // The keys before the new one keep their spelling.
      const ahead = dotted.keys[table.length - dotted.section.length - 1]!;
      const prefix = this.#text.slice(dotted.from, ahead.to);
      return [this.#below(dotted, `${prefix}.${writeKey(key.slice(-1))}`, writeValue(value))];
    }
    if (isSections(value)) return this.#sectionAfter(table, writeSections(key, value));
    const name = writeKey(key.slice(-1));
    const written =
      typeof value === "string" && value.includes("\n") && this.#eol === "\n"
        ? lines(value)
        : writeValue(value);
    const sibling = this.#placed.findLast(({ kind, section }) => kind === "pair" && samePath(section, table));
    const header = sibling ?? this.#header(table);
    if (header !== undefined) return [this.#below(header, name, written)];
    const first = this.#placed.find(({ path }) => startsWith(path, table));
    const pair = `${name} = ${written}`;
    if (first === undefined) return [this.#atEnd([pair])];
    return [this.#above(first, table.length === 0 ? [pair, ""] : [`[${writeKey(table)}]`, pair, ""])];
  }

  #remove(key: Key): IndexEdit[] {
    const removed = this.#placed.filter(({ path }) => startsWith(path, key));
    const table = key.slice(0, -1);
    const left = this.#placed.some((placed) => startsWith(placed.path, table) && !removed.includes(placed));
    const orphan = table.length > 0 && !left;
    const [first] = removed;
    if (orphan && first?.kind === "pair") {
      const ahead = first.keys[table.length - first.section.length - 1]!;
      const empty = { from: ahead.to, to: first.to, insert: " = {}" };
      return [empty, ...removed.slice(1).map((statement) => this.#cut(statement, statement))];
    }
    const cuts: IndexEdit[] = [];
    for (let i = 0; i < removed.length; i++) {
      const start = i;
      // A section is removed in one piece, with the comments between its lines.
      if (removed[i]!.kind === "header") while (removed[i + 1]?.kind === "pair") i++;
      const cut = this.#cut(removed[start]!, removed[i]!);
      const before = cuts.at(-1);
      if (before?.to === cut.from) cuts[cuts.length - 1] = { ...before, to: cut.to };
      else cuts.push(cut);
    }
    if (orphan) cuts[0] = { ...cuts[0]!, insert: `[${writeKey(table)}]${this.#eol}${this.#eol}` };
    return cuts.map((cut) => this.#openEnded(cut));
  }

  /** Returns a cut of the lines of some statements; for a section, with the empty lines after it. */
  #cut(first: Placed, last: Placed): IndexEdit {
    let to = nextLine(this.#text, last.to);
    if (first.kind === "header")
      while (to < this.#text.length && this.#text.slice(to, lineEnd(this.#text, to)).trim() === "")
        to = nextLine(this.#text, to);
    return { from: lineStart(this.#text, first.from), to, insert: "" };
  }

  /** If the last line has no line break, the cut also removes the break of the line that becomes the last. */
  #openEnded(cut: IndexEdit): IndexEdit {
    const { from, to, insert } = cut;
    if (to < this.#text.length || this.#text.endsWith("\n") || from === 0 || insert !== "") return cut;
    return { ...cut, from: from - (this.#text[from - 2] === "\r" ? 2 : 1) };
  }

  #header(table: Key): Placed | undefined {
    return this.#placed.find(({ kind, path }) => kind === "header" && samePath(path, table));
  }

  /** Returns the last statement that creates a table by a dotted key. */
  #lastDotted(table: Key): (Placed & { kind: "pair" }) | undefined {
    return this.#placed.findLast(
      (placed): placed is Placed & { kind: "pair" } =>
        placed.kind === "pair" && startsWith(placed.path, table) && placed.section.length < table.length,
    );
  }

  /** Inserts a line below a statement, with its indentation and spacing. */
  #below(statement: Placed, name: string, value: string): IndexEdit {
    const place = lineEnd(this.#text, statement.to);
    const tight =
      statement.kind === "pair" && this.#text.slice(statement.keys.at(-1)!.to, statement.value.from) === "=";
    const line = `${indentAt(this.#text, statement.from)}${name}${tight ? "=" : " = "}${value}`;
    return { from: place, to: place, insert: breakAt(this.#text, place, this.#eol) + line };
  }

  /** Inserts lines above a statement and the comment directly over it. */
  #above(statement: Placed, added: readonly string[]): IndexEdit {
    let place = lineStart(this.#text, statement.from);
    for (let above = place; above > 0; ) {
      above = lineStart(this.#text, above - 1);
      if (!this.#text.slice(above, lineEnd(this.#text, above)).trimStart().startsWith("#")) break;
      place = above;
    }
    return { from: place, to: place, insert: added.map((line) => line + this.#eol).join("") };
  }

  /** Inserts sections after all statements of a table. */
  #sectionAfter(table: Key, section: readonly string[]): IndexEdit[] {
    const last = this.#placed.findLast(({ path }) => startsWith(path, table));
    if (last === undefined) return [this.#atEnd(section)];
    const place = lineEnd(this.#text, last.to);
    return [
      { from: place, to: place, insert: ["", "", ...section].join(breakAt(this.#text, place, this.#eol)) },
    ];
  }

  #atEnd(added: readonly string[]): IndexEdit {
    const place = this.#text.length;
    const open = place > 0 && !this.#text.endsWith("\n");
    const block = added.join(this.#eol);
    return { from: place, to: place, insert: open ? this.#eol + block : block + this.#eol };
  }
}

function bracketed(list: Items | Inline): Bracketed {
  return {
    from: list.from + 1,
    to: list.to - 1,
    items: list.kind === "array" ? list.items : list.pairs,
    comment: /^#.*/,
  };
}
