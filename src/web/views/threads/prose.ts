import { type Inline, inlineOf } from "./prose-inline.ts";

/** A part of an answer that is shown as Markdown. */
export type Block =
  | { readonly is: "paragraph" | "heading"; readonly parts: readonly Inline[] }
  | { readonly is: "code"; readonly text: string }
  | { readonly is: "rule" }
  | { readonly is: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly is: "list";
      /** The number of the first item; undefined for a list without numbers. */
      readonly start: number | undefined;
      readonly items: readonly (readonly Block[])[];
    }
  | { readonly is: "table"; readonly rows: readonly (readonly (readonly Inline[])[])[] };

/** A text as blocks, each with the position where it begins. */
export interface Prose {
  readonly text: string;
  readonly blocks: readonly { readonly from: number; readonly block: Block }[];
}

/** Length in characters from which an answer is shown as plain text. */
const LONG = 200_000;
/** Most quotes and lists inside one another; deeper ones are text. */
const DEEPEST = 8;

const FENCE = /^ *(`{3,}|~{3,})[^`]*$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;

/**
 * Reads Markdown, in time that grows as its length. `before` is what was read of the beginning of this text: all of its
 * blocks stay the same but the last two, which a longer line may join.
 */
export function proseOf(text: string, before?: Prose): Prose {
  if (text.length > LONG) return { text, blocks: [{ from: 0, block: { is: "paragraph", parts: [text] } }] };
  const grows = before !== undefined && before.blocks.length > 2 && text.startsWith(before.text);
  const kept = grows ? before.blocks.slice(0, -2) : [];
  const start = grows ? before.blocks.at(-2)!.from : 0;
  const lines = text.slice(start).split("\n");
  const blocks = [...kept];
  let at = start;
  for (let line = 0; line < lines.length; ) {
    const { block, next } = blockAt(lines, line, 0);
    if (block !== undefined) blocks.push({ from: at, block });
    for (; line < next; line++) at += lines[line]!.length + 1;
  }
  return { text, blocks };
}

interface Read {
  /** The block; undefined for an empty line. */
  readonly block: Block | undefined;
  /** The line after it. */
  readonly next: number;
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  for (let line = 0; line < lines.length; ) {
    const { block, next } = blockAt(lines, line, depth);
    if (block !== undefined) blocks.push(block);
    line = next;
  }
  return blocks;
}

function blockAt(lines: readonly string[], at: number, depth: number): Read {
  const line = lines[at]!;
  if (line.trim() === "") return { block: undefined, next: at + 1 };
  const fence = FENCE.exec(line);
  if (fence !== null) return codeAt(lines, at, fence[1]!);
  const heading = HEADING.exec(line);
  if (heading !== null)
    return { block: { is: "heading", parts: inlineOf(withoutHashes(heading[1]!)) }, next: at + 1 };
  if (RULE.test(line)) return { block: { is: "rule" }, next: at + 1 };
  if (depth < DEEPEST && QUOTE.test(line)) return quoteAt(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return listAt(lines, at, depth);
  if (isTable(lines, at)) return tableAt(lines, at);
  let next = at + 1;
  while (next < lines.length && !begins(lines[next]!, depth)) next++;
  const text = lines.slice(at, next).map((one) => one.trim());
  return { block: { is: "paragraph", parts: inlineOf(text.join("\n")) }, next };
}

/** Returns true for a line that ends the paragraph before it. */
function begins(line: string, depth: number): boolean {
  if (line.trim() === "" || FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
  return depth < DEEPEST && (QUOTE.test(line) || ITEM.test(line));
}

function codeAt(lines: readonly string[], at: number, fence: string): Read {
  const isEnd = (line: string) => {
    const text = line.trim();
    return text.length >= fence.length && text === fence[0]!.repeat(text.length);
  };
  const indent = indentOf(lines[at]!);
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end]!)) end++;
  const text = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, indentOf(line))));
  return { block: { is: "code", text: text.join("\n") }, next: Math.min(end + 1, lines.length) };
}

function quoteAt(lines: readonly string[], at: number, depth: number): Read {
  let next = at;
  while (next < lines.length && QUOTE.test(lines[next]!)) next++;
  const inner = lines.slice(at, next).map((line) => line.replace(QUOTE, ""));
  return { block: { is: "quote", blocks: blocksOf(inner, depth + 1) }, next };
}

function listAt(lines: readonly string[], at: number, depth: number): Read {
  const first = ITEM.exec(lines[at]!)!;
  const isOrdered = /\d/.test(first[2]!);
  const items: (readonly Block[])[] = [];
  let next = at;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next]!);
    if (item === null || /\d/.test(item[2]!) !== isOrdered || RULE.test(lines[next]!)) break;
    const indent = item[1]!.length;
    const inner = [lines[next]!.slice(item[0].length)];
    next++;
    while (next < lines.length && isInItem(lines, next, indent, depth)) {
      const line = lines[next++]!;
      inner.push(line.slice(Math.min(indentOf(line), item[0].length)));
    }
    items.push(blocksOf(inner, depth + 1));
    let after = next;
    while (after < lines.length && lines[after]!.trim() === "") after++;
    if (after < lines.length && ITEM.test(lines[after]!)) next = after;
  }
  return {
    block: { is: "list", start: isOrdered ? Number.parseInt(first[2]!, 10) : undefined, items },
    next,
  };
}

/** Returns true for a line that continues the item of a list at an indent. */
function isInItem(lines: readonly string[], at: number, indent: number, depth: number): boolean {
  const line = lines[at]!;
  if (line.trim() !== "") {
    const isInside = indentOf(line) >= indent + 2;
    return isInside || (lines[at - 1]!.trim() !== "" && !begins(line, depth));
  }
  const after = lines[at + 1];
  return after !== undefined && after.trim() !== "" && indentOf(after) >= indent + 2;
}

function isTable(lines: readonly string[], at: number): boolean {
  const [head, under = ""] = [lines[at]!, lines[at + 1]];
  if (!head.includes("|") || !under.includes("|")) return false;
  const cells = cellsOf(under);
  return cells.every((cell) => /^:?-+:?$/.test(cell)) && cells.length === cellsOf(head).length;
}

function tableAt(lines: readonly string[], at: number): Read {
  let next = at + 2;
  while (next < lines.length && lines[next]!.includes("|")) next++;
  const rows = [lines[at]!, ...lines.slice(at + 2, next)].map((line) => cellsOf(line).map(inlineOf));
  return { block: { is: "table", rows }, next };
}

/** Returns the cells of a table's line. */
function cellsOf(line: string): string[] {
  const cells = line.trim().split(/(?<!\\)\|/);
  if (cells[0] === "") cells.shift();
  if (cells.at(-1) === "") cells.pop();
  return cells.map((cell) => cell.trim());
}

function withoutHashes(text: string): string {
  let end = text.trimEnd().length;
  while (text[end - 1] === "#") end--;
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end).trim() : text.trim();
}

/** Counts the spaces and tabs before a line's text. */
function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
