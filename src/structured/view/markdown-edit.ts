import { compose } from "../../text/delta.ts";
import { diff } from "../../text/diff.ts";
import { adoptEol } from "../../text/lines.ts";
import { type Data, type DataMap, isMap, type Key, spell } from "../data.ts";
import { applied, type IndexEdit, lineBreak, toSplices } from "../edits.ts";
import { type Attempt, StructureFailure } from "../failure.ts";
import { type Edited, makeIt, read } from "../set-field.ts";
import { renameKey } from "../toml/rename.ts";
import { scan } from "../toml/scan.ts";
import { tomlFormat } from "../toml/toml.ts";
import { build, type Placed } from "../toml/tree.ts";
import { blockLine, INVALID } from "./markdown-view.ts";
import { inFence, NOT_SET } from "./notation.ts";
import { readViewBody } from "./read-body.ts";
import { type Outline, outline, type Section } from "./sections.ts";
import {
  dataOfShown,
  EMPTY_TABLE,
  fieldsOf,
  OWN,
  ownOf,
  type ShownNode,
  sectionsOf,
  shown,
  ViewLeaf,
  type ViewText,
} from "./shown.ts";
import { keyOfTitle, knownTitles, titlesOf } from "./titles.ts";

/**
 * Makes of a document of TOML what the edited Markdown view of it says. Only what differs from the view of
 * `text` is changed, so that comments, order, spelling and kinds of all the rest stay.
 */
export function editByView(text: string, path: string, markdown: string): Attempt<Edited> {
  const document = read(tomlFormat, text);
  if (document instanceof StructureFailure)
    return document.reason === "too_large" ? document : editInvalid(text, path, markdown);
  const edited = outline(markdown);
  if (edited instanceof StructureFailure) return edited;
  const wrong = wrongFrontmatter(edited, [blockLine(path)]);
  if (wrong !== undefined) return wrong;
  const reader = new Reader(text);
  const wanted = reader.table(shown(text), edited.sections, []);
  if (wanted instanceof StructureFailure) return wanted;
  const named = applied(text, reader.renames);
  const renamed = read(tomlFormat, named, lineBreak(text));
  const made = renamed instanceof StructureFailure ? renamed : makeIt(tomlFormat, named, renamed, wanted);
  return made instanceof StructureFailure
    ? made
    : { text: made.text, splices: compose(toSplices(text, reader.renames), made.splices) };
}

/** A document that is no TOML is shown as it is; what is changed in it there is changed in it. */
function editInvalid(text: string, path: string, markdown: string): Attempt<Edited> {
  const unified = markdown.startsWith("---\r\n") ? markdown.replaceAll("\r\n", "\n") : markdown;
  const head = `---\n${blockLine(path)}\n${INVALID}\n---\n`;
  const raw = unified.startsWith(head) ? inFence(unified.slice(head.length).trim(), "toml") : undefined;
  if (raw === undefined)
    return new StructureFailure(
      "invalid_value",
      "the document is no valid TOML; its view is its text between lines of ```toml and ```",
      {
        suggestion: "Keep the frontmatter and the fence, and edit the text between them.",
      },
    );
  const updated = adoptEol(raw, lineBreak(text) === "\r\n" ? "crlf" : "lf");
  return { text: updated, splices: diff(text, updated) };
}

function wrongFrontmatter(
  { frontmatter, sections }: Outline,
  expected: readonly string[],
): StructureFailure | undefined {
  const given = frontmatter?.map((line) => line.trimEnd()).filter((line) => line !== "");
  if (given === undefined && sections.length > 0) return undefined;
  if (given !== undefined && given.join("\n") === expected.join("\n")) return undefined;
  return new StructureFailure(
    "invalid_value",
    `the view begins with ---, ${expected.join(", ")} and ---; here it is ${JSON.stringify(given?.join(", ") ?? "")}`,
    {
      line: 1,
      suggestion: "Read the view again and edit what it says below its frontmatter.",
    },
  );
}

/** One key's sections in an edited view: one, or one for each element of an array of tables. */
interface Group {
  readonly key: string;
  readonly elements: readonly (number | undefined)[];
  readonly sections: readonly Section[];
}

/** Reads what edited sections want of the tables that they show. */
class Reader {
  readonly renames: IndexEdit[] = [];
  readonly #placed: readonly Placed[];

  constructor(text: string) {
    this.#placed = build(scan(text)).placed;
  }

  table(table: ViewText, sections: readonly Section[], path: Key): Attempt<DataMap> {
    const views = sectionsOf(table);
    const groups = group(views, sections);
    if (groups instanceof StructureFailure) return groups;
    const moved = reordered([...table.keys()], groups);
    if (moved !== undefined) return moved;
    const wanted = new Map<string, Data>();
    const kept = new Set(groups.map(({ key }) => key));
    const gone = new Map<string, string[]>();
    for (const [key, view] of views)
      if (!kept.has(key)) gone.set(textOf(view), [...(gone.get(textOf(view)) ?? []), key]);
    for (const one of groups) {
      const node = table.get(one.key);
      const source = node === undefined ? gone.get(textOf(one.sections))?.shift() : undefined;
      const data =
        source === undefined
          ? this.#group(node, views.get(one.key), one, path)
          : dataOfShown(table.get(source)!);
      if (source !== undefined) {
        this.renames.push(...renameKey(this.#placed, [...path, source], one.key));
      }
      if (data instanceof StructureFailure) return data;
      if (data !== undefined) wanted.set(one.key, data);
    }
    return wanted;
  }

  #group(
    node: ShownNode | undefined,
    view: readonly Section[] | undefined,
    one: Group,
    path: Key,
  ): Attempt<Data | undefined> {
    const [first] = one.sections;
    if (node !== undefined && view !== undefined && sameSections(view, one.sections))
      return dataOfShown(node);
    if (one.elements[0] === undefined && !Array.isArray(node))
      return this.#field(node, first!, [...path, one.key]);
    if ((node !== undefined && !Array.isArray(node)) || one.elements.includes(undefined))
      return refused(
        first!,
        Array.isArray(node)
          ? `its elements are numbered: ${first!.title} [1]`
          : "it has no numbered elements",
      );
    const wanted: DataMap[] = [];
    for (const [i, section] of one.sections.entries()) {
      const number = one.elements[i]!;
      if (number <= (one.elements[i - 1] ?? 0))
        return refused(section, "elements stand in the order of their numbers, once each");
      const data = this.#field(node?.[number - 1], section, [...path, one.key, number - 1]);
      if (data instanceof StructureFailure) return data;
      if (data === undefined || !isMap(data))
        return refused(section, "an element has fields: headings below it");
      wanted.push(data);
    }
    return wanted;
  }

  /** A section of a value, of a table, or of a value that has become a table and keeps its value as `_value`. */
  #field(node: ViewText | ViewLeaf | undefined, section: Section, path: Key): Attempt<Data | undefined> {
    const table = node === undefined || node instanceof ViewLeaf ? undefined : node;
    const old = node instanceof ViewLeaf ? node : table && ownOf(table);
    const { body, children, line } = section;
    const asBefore = old !== undefined && old.body === body;
    const own = asBefore ? old.data : readViewBody(body, old?.data, line);
    if (own instanceof StructureFailure) return own;
    if (children.length === 0 && (body === NOT_SET || (isMap(own) && !asBefore)))
      return body === NOT_SET ? undefined : own;
    if (children.length === 0 && table === undefined) return own ?? this.#empty(old, section);
    if (isMap(own) && own.size > 0)
      return refused(section, "a table in backticks and headings below it say two things");
    const fields = this.table(table ? fieldsOf(table) : new Map(), children, path);
    if (fields instanceof StructureFailure || own === undefined || body === EMPTY_TABLE) return fields;
    if (fields.has(OWN)) return refused(section, `${spell([...path, OWN])} stands there twice`);
    return new Map([[OWN, own], ...fields]);
  }

  #empty(old: ViewLeaf | undefined, section: Section): Attempt<Data> {
    if (typeof old?.data === "string") return "";
    return refused(
      section,
      "it has no value",
      `Write one below it, ${NOT_SET} or no heading for none, ${EMPTY_TABLE} for an empty table.`,
    );
  }
}

/** The sections of each key, in their order. */
function group(
  views: ReadonlyMap<string, readonly Section[]>,
  sections: readonly Section[],
): Attempt<Group[]> {
  const titles = knownTitles(titlesOf([...views.keys()]));
  const groups = new Map<string, { key: string; elements: (number | undefined)[]; sections: Section[] }>();
  for (const section of sections) {
    const named = keyOfTitle(section.title, titles, section.line);
    if (named instanceof StructureFailure) return named;
    const one = groups.get(named.key) ?? { key: named.key, elements: [], sections: [] };
    groups.set(named.key, one);
    one.elements.push(named.element);
    one.sections.push(section);
    if (one.sections.length > 1 && (one.elements[0] ?? named.element) === undefined)
      return refused(section, `the same key has a heading at line ${one.sections[0]!.line}`);
  }
  return [...groups.values()];
}

/** All that sections say but their own titles: what stays the same where only a title was changed. */
function textOf(sections: readonly Section[]): string {
  const text = ({ title, body, children }: Section): unknown => [title, body, children.map(text)];
  return JSON.stringify(sections.map(({ body, children }) => [body, children.map(text)]));
}

function sameSections(a: readonly Section[], b: readonly Section[]): boolean {
  return a.length === b.length && a.every((section, i) => same(section, b[i]!));
}

function same(a: Section, b: Section): boolean {
  return a.body === b.body && a.title === b.title && sameSections(a.children, b.children);
}

function reordered(keys: readonly string[], groups: readonly Group[]): StructureFailure | undefined {
  const order = new Map(keys.map((key, i) => [key, i]));
  let last = -1;
  for (const { key, sections } of groups) {
    const place = order.get(key);
    if (place === undefined) continue;
    if (place < last)
      return refused(
        sections[0]!,
        "its place among the others has changed, which an edit of the view cannot do",
        "Leave the headings in their order, or move the lines in the text itself.",
      );
    last = place;
  }
  return undefined;
}

function refused(section: Section, what: string, suggestion?: string): StructureFailure {
  return new StructureFailure("invalid_value", `${JSON.stringify(section.title)}: ${what}`, {
    line: section.line,
    ...(suggestion !== undefined && { suggestion }),
  });
}
