import type { Node, ParseError } from "jsonc-parser";
import { isRounded } from "../../text/exact-json.ts";
import { type Bracketed, insertItem, type ListStyle, removeItem } from "../bracketed.ts";
import { type Data, fromJson, isList, isMap, type Key, spell } from "../data.ts";
import { type Eol, type IndexEdit, indentAt } from "../edits.ts";
import { type Attempt, lineOf, StructureFailure } from "../failure.ts";
import type { Format, PathStep } from "../format.ts";
import { jsonc } from "./package.ts";
import { plainJson } from "./plain.ts";
import { sliceOf } from "./slice.ts";

/**
 * Returns the format of hand-written JSON. Both dialects allow comments; only `.jsonc` allows a comma after the last
 * item.
 */
export function jsonFormat(dialect: "json" | "jsonc"): Format {
  const commas = dialect === "jsonc";
  return {
    name: "JSON",
    slice: (text, key) => sliceOf(text, key, commas),
    read: (text, eol, whole = text) => {
      const root = parse(text, commas);
      if (root instanceof StructureFailure) return root;
      const repeated = repeatedKey(root, []);
      if (repeated !== undefined)
        return new StructureFailure("invalid_document", `${spell(repeated.key)} occurs twice`, {
          line: lineOf(text, repeated.offset),
          suggestion: "Remove one of them first with edit.replace.",
        });
      return {
        data: dataOf(text, root),
        replaceable: () => true,
        step: (step) => edit(text, styleOf(whole, eol, text === whole ? root : undefined), root, step),
      };
    },
    adopt: fromJson,
  };
}

function parse(text: string, commas: boolean): Attempt<Node> {
  const errors: ParseError[] = [];
  const root = jsonc().parseTree(text, errors, { allowTrailingComma: commas });
  const [error] = errors;
  if (error === undefined && root !== undefined) return root;
  const problem = error === undefined ? "it is empty" : jsonc().printParseErrorCode(error.error);
  return new StructureFailure("invalid_document", `this is not valid JSON: ${problem}`, {
    line: lineOf(text, error?.offset ?? 0),
  });
}

function dataOf(text: string, node: Node): Data {
  if (node.type === "array") return (node.children ?? []).map((item) => dataOf(text, item));
  if (node.type === "object")
    return new Map(
      (node.children ?? []).map(({ children }) => [keyOf(children), dataOf(text, children![1]!)]),
    );
  const spelled = node.type === "number" ? text.slice(node.offset, node.offset + node.length) : "";
  return isRounded(spelled) ? BigInt(spelled) : (node.value as string | number | boolean | null);
}

function keyOf(property: readonly Node[] | undefined): string {
  return property![0]!.value as string;
}

function repeatedKey(node: Node, path: Key): { key: Key; offset: number } | undefined {
  const seen = new Set<string>();
  for (const [i, child] of (node.children ?? []).entries()) {
    const name = child.type === "property" ? keyOf(child.children) : i;
    if (typeof name === "string" && seen.size === seen.add(name).size)
      return { key: [...path, name], offset: child.offset };
    const value = child.type === "property" ? child.children![1]! : child;
    const inside = repeatedKey(value, [...path, name]);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function edit(text: string, style: Style, root: Node, step: PathStep): IndexEdit[] {
  const name = step.key.at(-1);
  const parent = name === undefined ? root : find(root, step.key.slice(0, -1));
  const children = name === undefined ? [root] : (parent.children ?? []);
  const index =
    typeof name === "string" ? children.findIndex(({ children }) => keyOf(children) === name) : (name ?? 0);
  if (step.kind === "remove") return removeItem(text, bracketed(parent), index);
  const child = children[index];
  const indent = indentAt(text, child?.offset ?? children.at(-1)?.offset ?? parent.offset);
  if (step.kind === "replace" && child !== undefined) {
    const value = child.type === "property" ? child.children![1]! : child;
    const insert = print(text, step.value, value, indent, style);
    return [{ from: value.offset, to: value.offset + value.length, insert }];
  }
  const deeper = children.length === 0 ? indent + (style.unit ?? "") : indent;
  const value = print(text, step.value, parent, deeper, style);
  const item = typeof name === "string" ? `${JSON.stringify(name)}${style.colon}${value}` : value;
  const { gap, eol, unit } = style;
  const around: ListStyle = { pad: "", gap, eol, ...(unit !== undefined && { unit }) };
  return insertItem(text, bracketed(parent), index < 0 ? children.length : index, item, around);
}

function find(root: Node, key: Key): Node {
  let here = root;
  for (const part of key) {
    const children = here.children ?? [];
    here =
      typeof part === "number"
        ? children[part]!
        : children.find((child) => keyOf(child.children) === part)!.children![1]!;
  }
  return here;
}

function bracketed(node: Node): Bracketed {
  return {
    from: node.offset + 1,
    to: node.offset + node.length - 1,
    items: (node.children ?? []).map(({ offset, length }) => ({ from: offset, to: offset + length })),
    comment: /^(\/\/.*|\/\*)/,
  };
}

/** The style of values in a document. */
interface Style {
  /** The separator between a key and its value. */
  readonly colon: string;
  /** The gap after a comma on one line. */
  readonly gap: string;
  /** One level of indentation; undefined in a document of one line. */
  readonly unit: string | undefined;
  readonly eol: Eol;
}

/** Returns the style of a document; its root is unknown if only a part was read. */
function styleOf(text: string, eol: Eol, root: Node | undefined): Style {
  const colon = (root === undefined ? firstColon(text) : colonOf(text, root)) ?? ": ";
  const spread = (root?.children?.length === 0 ? text : text.trim()).includes("\n");
  return {
    colon,
    gap: colon.endsWith(" ") ? " " : "",
    unit: spread ? (/\n([ \t]+)\S/.exec(text)?.[1] ?? "  ") : undefined,
    eol,
  };
}

/** Returns the first separator of a key and a value on one line, without a comment; from the text alone. */
function firstColon(text: string): string | undefined {
  const json = plainJson(text, false) ?? text;
  for (const [, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"([ \t]*:[ \t]*(?![ \t\r\n]))?/g))
    if (colon !== undefined) return colon;
  return undefined;
}

/** Returns the first separator of a key and a value on one line, without a comment. */
function colonOf(text: string, node: Node): string | undefined {
  if (node.type === "property") {
    const [key, value] = node.children!;
    const between = text.slice(key!.offset + key!.length, value!.offset);
    return /^[ \t]*:[ \t]*$/.test(between) ? between : colonOf(text, value!);
  }
  for (const child of node.children ?? []) {
    const colon = colonOf(text, child);
    if (colon !== undefined) return colon;
  }
  return undefined;
}

/** Returns the text of a value that replaces `near` or goes inside it: on one line if `near` is on one line. */
function print(text: string, value: Data, near: Node, indent: string, { unit, gap, eol }: Style): string {
  const own = text.slice(near.offset, near.offset + near.length);
  const flat = (near.children?.length ?? 0) > 0 && !own.includes("\n");
  return unit === undefined || flat ? compact(value, gap) : lines(value, indent, unit, eol);
}

function compact(value: Data, gap: string): string {
  if (isList(value)) return `[${value.map((item) => compact(item, gap)).join(`,${gap}`)}]`;
  if (!isMap(value)) return typeof value === "bigint" ? String(value) : JSON.stringify(value);
  const fields = [...value].map(([key, item]) => `${JSON.stringify(key)}:${gap}${compact(item, gap)}`);
  return `{${fields.join(`,${gap}`)}}`;
}

function lines(value: Data, indent: string, unit: string, eol: string): string {
  const deeper = indent + unit;
  const items = isMap(value)
    ? [...value].map(([key, item]) => `${JSON.stringify(key)}: ${lines(item, deeper, unit, eol)}`)
    : isList(value)
      ? value.map((item) => lines(item, deeper, unit, eol))
      : [];
  if (items.length === 0) return compact(value, "");
  const [open, close] = isMap(value) ? ["{", "}"] : ["[", "]"];
  return `${open}${eol}${items.map((item) => deeper + item).join(`,${eol}`)}${eol}${indent}${close}`;
}
