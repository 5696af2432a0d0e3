import type { Data } from "../data.ts";
import { scan, type Value } from "../toml/scan.ts";
import { assemble, dataOf, type Tables, tableOf } from "../toml/tree.ts";
import { codeSpan, show } from "./notation.ts";
import type { Section } from "./sections.ts";
import { titlesOf } from "./titles.ts";

/** A value in one section, with its text there. */
export class ViewLeaf {
  readonly data: Data;
  readonly body: string;

  constructor(data: Data, source: string) {
    this.data = data;
    this.body = show(data, source);
  }
}

/** The tables of a document, inline tables included. Arrays of tables are arrays; all other values are leaves. */
export type ViewText = Tables<ViewLeaf>;
export type ViewNode = ViewText | ViewText[] | ViewLeaf;

/** The key of a table's own value, which appears directly under the table's heading. */
export const OWN = "_value";
export const EMPTY_TABLE = codeSpan("{}");

/** Returns the view of a valid TOML text. */
export function viewText(text: string): ViewText {
  const read = (value: Value): ViewLeaf | ViewText =>
    value.kind === "inline"
      ? tableOf(value, read)
      : new ViewLeaf(dataOf(value), text.slice(value.from, value.to));
  return assemble(scan(text), read).tables;
}

/** Returns the value under a table's own heading. */
export function ownOf(table: ViewText): ViewLeaf | undefined {
  const own = table.get(OWN);
  return own instanceof ViewLeaf ? own : undefined;
}

/** Returns the fields of a table that have sections of their own below its heading. */
export function fieldsOf(table: ViewText): ViewText {
  if (ownOf(table) === undefined) return table;
  return new Map([...table].filter(([key]) => key !== OWN));
}

/** Returns the sections of a table's fields by key. */
export function sectionsOf(table: ViewText): Map<string, Section[]> {
  const titles = titlesOf([...table.keys()]);
  return new Map([...table].map(([key, node]) => [key, sectionsFor(titles.get(key)!, node)]));
}

function sectionsFor(title: string, node: ViewNode): Section[] {
  if (node instanceof ViewLeaf) return [{ title, body: node.body, children: [], line: 0 }];
  if (Array.isArray(node)) return node.map((element, i) => tableSection(`${title} [${i + 1}]`, element));
  return [tableSection(title, node)];
}

function tableSection(title: string, table: ViewText): Section {
  const children = [...sectionsOf(fieldsOf(table)).values()].flat();
  return { title, body: ownOf(table)?.body ?? (table.size === 0 ? EMPTY_TABLE : ""), children, line: 0 };
}

export function dataOfView(node: ViewNode): Data {
  if (node instanceof ViewLeaf) return node.data;
  if (Array.isArray(node)) return node.map(dataOfView);
  return new Map([...node].map(([key, inner]) => [key, dataOfView(inner)]));
}
