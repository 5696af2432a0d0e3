import type { Data, Key } from "../data.ts";
import { type Inline, keyOf, type Statement, type TomlPair, type Value } from "./scan.ts";

/** A statement with the path that its keys lead to. Through an array of tables, the path has the element's index. */
export type Placed = Statement & {
  readonly path: Key;
  /** The path of the header above the statement; empty before the first header. */
  readonly section: Key;
};

/** Tables and arrays of tables, in the document's order, with values as a reader returns them. */
export type Tables<T> = Map<string, Tables<T> | Tables<T>[] | T>;

/** Returns a document's data, and the path of each statement. */
export function build(statements: readonly Statement[]): { data: Map<string, Data>; placed: Placed[] } {
  const { tables, placed } = assemble<Data>(statements, dataOf);
  return { data: tables as Map<string, Data>, placed };
}

/** Builds the tables, with each value under its keys and header. */
export function assemble<T>(
  statements: readonly Statement[],
  read: (value: Value) => T | Tables<T>,
): { tables: Tables<T>; placed: Placed[] } {
  const tables: Tables<T> = new Map();
  const placed: Placed[] = [];
  let section: Key = [];
  for (const statement of statements) {
    if (statement.kind === "header") {
      section = headerPath(tables, statement);
      placed.push({ ...statement, path: section, section });
      continue;
    }
    addPair(section.reduce<unknown>(inside, tables) as Tables<T>, statement, read);
    placed.push({ ...statement, path: [...section, ...keyOf(statement)], section });
  }
  return { tables, placed };
}

/** Creates the tables that a header names and returns its path. */
function headerPath<T>(tables: Tables<T>, { keys, array }: Statement & { kind: "header" }): Key {
  const path: (string | number)[] = [];
  let here = tables;
  for (const [i, { name }] of keys.entries()) {
    path.push(name);
    const opens = array && i === keys.length - 1;
    let next = here.get(name);
    if (next === undefined) {
      next = opens ? [] : new Map();
      here.set(name, next);
    }
    if (Array.isArray(next)) {
      if (opens) next.push(new Map());
      path.push(next.length - 1);
      next = next.at(-1);
    }
    here = next as Tables<T>;
  }
  return path;
}

function inside(here: unknown, part: string | number): unknown {
  return typeof part === "number" ? (here as unknown[])[part] : (here as Map<string, unknown>).get(part);
}

function addPair<T>(table: Tables<T>, pair: TomlPair, read: (value: Value) => T | Tables<T>): void {
  let here = table;
  const names = pair.keys.map(({ name }) => name);
  for (const name of names.slice(0, -1)) {
    if (!here.has(name)) here.set(name, new Map());
    here = here.get(name) as Tables<T>;
  }
  here.set(names.at(-1)!, read(pair.value));
}

export function dataOf(value: Value): Data {
  if (value.kind === "scalar") return value.data;
  if (value.kind === "array") return value.items.map(dataOf);
  return tableOf(value, dataOf) as Map<string, Data>;
}

/** Returns the table of an inline table. */
export function tableOf<T>(value: Inline, read: (value: Value) => T | Tables<T>): Tables<T> {
  const table: Tables<T> = new Map();
  for (const pair of value.pairs) addPair(table, pair, read);
  return table;
}

export function startsWith(path: Key, prefix: Key): boolean {
  return prefix.length <= path.length && prefix.every((part, i) => part === path[i]);
}

export function samePath(a: Key, b: Key): boolean {
  return a.length === b.length && startsWith(a, b);
}
