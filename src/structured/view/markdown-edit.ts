import { compose } from "../../text/delta.ts";
import { diff } from "../../text/diff/diff.ts";
import { adoptEol } from "../../text/lines.ts";
import { quote } from "../../text/patch/patch-failure.ts";
import { type Data, type DataMap, isMap, type Key, spell } from "../data.ts";
import { applied, type IndexEdit, lineBreak, toSplices } from "../edits.ts";
import { type Attempt, StructureFailure } from "../failure.ts";
import { type Edited, editTo, read } from "../set-field.ts";
import { renameKey } from "../toml/rename.ts";
import { scan } from "../toml/scan.ts";
import { tomlFormat } from "../toml/toml.ts";
import { build, type Placed } from "../toml/tree.ts";
import { blockLine, INVALID, markdownView } from "./markdown-view.ts";
import { inFence, NOT_SET } from "./notation.ts";
import { readViewBody } from "./read-body.ts";
import { type Outline, outline, type Section } from "./sections.ts";
import { keyOfTitle, knownTitles, titlesOf } from "./titles.ts";
import {
  dataOfView,
  EMPTY_TABLE,
  fieldsOf,
  OWN,
  ownOf,
  sectionsOf,
  ViewLeaf,
  type ViewNode,
  type ViewText,
  viewText,
} from "./view-text.ts";

/**
 * Applies an edited Markdown view to a TOML document. It changes only the differences from the view of `text`, so
 * comments, order, spelling and types of all other fields stay.
 */
export function editByView(text: string, path: string, markdown: string): Attempt<Edited> {
  const document = read(tomlFormat, text);
  if (document instanceof StructureFailure)
    return document.reason === "too_large" ? document : editInvalid(text, path, markdown);
  const edited = outline(markdown);
  if (edited instanceof StructureFailure) return edited;
  const wrong = wrongFrontmatter(edited, blockLine(path));
  if (wrong !== undefined) return wrong;
  const reader = new Reader(text);
  const wanted = reader.table(viewText(text), edited.sections, []);
  if (wanted instanceof StructureFailure) return wanted;
  const renamedText = applied(text, reader.renames);
  const renamed = read(tomlFormat, renamedText, text);
  const result =
    renamed instanceof StructureFailure ? renamed : editTo(tomlFormat, renamedText, renamed, wanted);
  return result instanceof StructureFailure
    ? result
    : { text: result.text, splices: compose(toSplices(text, reader.renames), result.splices) };
}

/** Returns the view of a document, if writing it back unedited changes no byte. */
export function editableView(text: string, path: string): Attempt<string> {
  const view = markdownView(text, path);
  if (view instanceof StructureFailure) return view;
  const back = editByView(text, path, view);
  if (!(back instanceof StructureFailure) && back.text === text) return view;
  return new StructureFailure("not_carried", `the Markdown view cannot carry all of ${path} back into TOML`, {
    suggestion: "Read and edit the text itself.",
  });
}

/**
 * Applies an edited view of invalid TOML: the view shows the document's text in a fence, which replaces the document.
 */
function editInvalid(text: string, path: string, markdown: string): Attempt<Edited> {
  const unified = markdown.startsWith("---\r\n") ? markdown.replaceAll("\r\n", "\n") : markdown;
  const head = `---\n${blockLine(path)}\n${INVALID}\n---\n`;
  const raw = unified.startsWith(head) ? inFence(unified.slice(head.length).trim(), "toml") : undefined;
  if (raw === undefined)
    return new StructureFailure(
      "invalid_value",
      "the document is not valid TOML; its view is its text between lines of ```toml and ```",
      {
        suggestion: "Keep the frontmatter and the fence, and edit the text between them.",
      },
    );
  const updated = adoptEol(raw, lineBreak(text) === "\r\n" ? "crlf" : "lf");
  return { text: updated, splices: diff(text, updated) };
}

function wrongFrontmatter({ frontmatter, sections }: Outline, block: string): StructureFailure | undefined {
  const lines = frontmatter?.map((line) => line.trimEnd()).filter((line) => line !== "");
  if (lines === undefined && sections.length > 0) return undefined;
  const other = lines?.find((line) => line !== block);
  if (lines?.length === 1 && other === undefined) return undefined;
  const refused = (message: string, suggestion: string) =>
    new StructureFailure("invalid_value", message, { line: 1, suggestion });
  if (other?.startsWith("block:"))
    return refused(
      `block is the name of the file, so an edit of the view cannot change ${block} to ${quote(other)}`,
      `Write the line ${block} again. To change the name, rename the document.`,
    );
  if (other !== undefined && lines?.includes(block))
    return refused(
      `the frontmatter has ${block} and nothing else, because TOML has no place for ${quote(other)}`,
      "Remove that line, or write a heading for it below the frontmatter.",
    );
  return refused(
    `the view must begin with ---, ${block} and ---; instead it has ${JSON.stringify(lines?.join(", ") ?? "")}`,
    "Read the view again and edit only the text below its frontmatter.",
  );
}

/** The sections of one key in an edited view: one, or one for each element of an array of tables. */
interface Group {
  readonly key: string;
  readonly elements: readonly (number | undefined)[];
  readonly sections: readonly Section[];
}

/** Reads the wanted data from edited sections. */
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
    const present = new Set(groups.map(({ key }) => key));
    const removed = new Map<string, string[]>();
    for (const [key, view] of views)
      if (!present.has(key)) removed.set(textOf(view), [...(removed.get(textOf(view)) ?? []), key]);
    for (const one of groups) {
      const node = table.get(one.key);
      const source = node === undefined ? removed.get(textOf(one.sections))?.shift() : undefined;
      const data =
        source === undefined
          ? this.#group(node, views.get(one.key), one, path)
          : dataOfView(table.get(source)!);
      if (source !== undefined) {
        this.renames.push(...renameKey(this.#placed, [...path, source], one.key));
      }
      if (data instanceof StructureFailure) return data;
      if (data !== undefined) wanted.set(one.key, data);
    }
    return wanted;
  }

  #group(
    node: ViewNode | undefined,
    view: readonly Section[] | undefined,
    one: Group,
    path: Key,
  ): Attempt<Data | undefined> {
    const [first] = one.sections;
    if (node !== undefined && view !== undefined && sameSections(view, one.sections)) return dataOfView(node);
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
        return refused(section, "elements must be in the order of their numbers, each number once");
      const data = this.#field(node?.[number - 1], section, [...path, one.key, number - 1]);
      if (data instanceof StructureFailure) return data;
      if (data === undefined || !isMap(data))
        return refused(section, "an element has fields: headings below it");
      wanted.push(data);
    }
    return wanted;
  }

  /** Reads a section of a value or of a table. A value that became a table keeps its old value as `_value`. */
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
      return refused(section, "it has a table in backticks and headings below it; use one of the two");
    const fields = this.table(table ? fieldsOf(table) : new Map(), children, path);
    if (fields instanceof StructureFailure || own === undefined || body === EMPTY_TABLE) return fields;
    if (fields.has(OWN)) return refused(section, `${spell([...path, OWN])} occurs twice`);
    return new Map([[OWN, own], ...fields]);
  }

  #empty(old: ViewLeaf | undefined, section: Section): Attempt<Data> {
    if (typeof old?.data === "string") return "";
    return refused(
      section,
      "it has no value",
      `Write a value below the heading, ${EMPTY_TABLE} for an empty table, or ${NOT_SET} to remove the field.`,
    );
  }
}

/** Groups the sections by key, in their order. */
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
      return refused(section, `the same key already has a heading at line ${one.sections[0]!.line}`);
  }
  return [...groups.values()];
}

/** Returns the text of sections without their own titles; it stays the same when only a title was changed. */
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
        "its position among the headings changed, and an edit of the view cannot move headings",
        "Leave the headings in their order, or move the lines in the text itself.",
      );
    last = place;
  }
  return undefined;
}

function refused(section: Section, problem: string, suggestion?: string): StructureFailure {
  return new StructureFailure("invalid_value", `${JSON.stringify(section.title)}: ${problem}`, {
    line: section.line,
    ...(suggestion !== undefined && { suggestion }),
  });
}
