import type { Document, Pair } from "yaml";
import { insertItem, removeItem } from "../bracketed.ts";
import { type Data, type Key, spell } from "../data.ts";
import { breakAt, type Eol, type IndexEdit, lineEnd, lineStart, nextLine } from "../edits.ts";
import { type Attempt, StructureFailure } from "../failure.ts";
import type { PathStep } from "../format.ts";
import {
  bracketed,
  type Collection,
  indexOf,
  markerOf,
  nodeAt,
  type Place,
  type Ranged,
  startOf,
  tagOf,
} from "./nodes.ts";
import { yaml } from "./package.ts";
import { contradicts } from "./tag.ts";
import { type BlockStyle, writable, writeBlock, writeFlow } from "./write.ts";

/** Edits a YAML document step by step: by the ranges of its nodes, without touching anything else. */
export class YamlEditor {
  readonly #text: string;
  readonly #document: Document;
  readonly #style: BlockStyle;

  /** The style of new lines is that of `whole`, which the text is a part of. */
  constructor(text: string, eol: Eol, document: Document, whole: string) {
    this.#text = text;
    this.#document = document;
    this.#style = styleOf(whole, eol);
  }

  step(step: PathStep): Attempt<readonly IndexEdit[]> {
    return this.#step(step) ?? notByteForByte(step.key);
  }

  /** Returns undefined for a step that would change something else, too. */
  #step({ key, ...step }: PathStep): Attempt<readonly IndexEdit[]> | undefined {
    if (key.length === 0) return step.kind === "remove" ? undefined : this.#setRoot(step.value);
    const parent = this.#collection(key.slice(0, -1));
    if (parent === undefined || parent instanceof StructureFailure) return parent;
    const index = indexOf(parent, key.at(-1)!);
    if (step.kind === "remove") return this.#remove(parent, index, key.slice(0, -1));
    if (step.kind === "replace") {
      const tag = tagOf(parent, index);
      return contradicts(tag, step.value)
        ? taggedOtherwise(key, tag!)
        : this.#setItem(parent, index, step.value);
    }
    const name = yaml().isMap(parent) ? String(key.at(-1)) : undefined;
    return parent.flow
      ? this.#addToFlow(parent, index, name, step.value)
      : this.#addToBlock(parent, index, name, step.value);
  }

  #collection(key: Key): Attempt<Collection> | undefined {
    let here: unknown = this.#document.contents;
    for (const [i, part] of [...key, undefined].entries()) {
      const path = key.slice(0, i);
      if (yaml().isAlias(here))
        return new StructureFailure(
          "not_carried",
          `${spell(path)} is an alias (*${here.source}) of another value`,
          {
            suggestion: `Set the field where &${here.source} is, or set ${spell(path)} as a whole.`,
          },
        );
      if (!yaml().isMap(here) && !yaml().isSeq(here)) return undefined;
      if (part === undefined) return here;
      const item: unknown = here.items[indexOf(here, part)];
      here = yaml().isMap(here) ? (item as Pair | undefined)?.value : item;
    }
    return undefined;
  }

  #setRoot(value: Data): IndexEdit[] | undefined {
    const written = [...(value as ReadonlyMap<string, Data>)].map(([key, item]) =>
      writeBlock(key, writable(item), this.#style, 0),
    );
    const { contents } = this.#document;
    if (yaml().isScalar(contents) && this.#text.slice(contents.range![0], contents.range![1]) !== "")
      return undefined;
    const at = this.#text.length;
    const open = at > 0 && !this.#text.endsWith("\n");
    const block = written.join(this.#style.eol);
    return [{ from: at, to: at, insert: open ? this.#style.eol + block : block + this.#style.eol }];
  }

  #setItem(parent: Collection, index: number, value: Data): IndexEdit[] | undefined {
    const node = nodeAt(parent, index);
    const marker = markerOf(parent, index);
    const place = node && this.#placeOf(node);
    const quotes = yaml().isScalar(node) ? node.type : undefined;
    if (parent.flow && place && place.from < place.to)
      return [{ ...place, insert: writeFlow(value, quotes) }];
    if (place === undefined || marker === undefined) return undefined;
    const { from, to } = place.from === place.to ? { from: marker, to: marker } : place;
    if (parent.flow) return [{ from, to, insert: ` ${writeFlow(value)}` }];
    const written = writable(value, quotes);
    const key = yaml().isMap(parent) ? "k" : undefined;
    const end = lineEnd(this.#text, to);
    const style = this.#styleAt(end);
    const bare = writeBlock(key, written, style, this.#columnOf(parent, index)).replace(/^(k:|-)/, "");
    const block = withComment(bare, this.#headComment(node!));
    const gap = this.#text.slice(marker, from);
    if (block.startsWith(" ") && /^[^\r\n]*[ \t]$/.test(gap)) return [{ from, to, insert: block.slice(1) }];
    // A comment between the key and a value on other lines would have no place any more.
    if (gap.trim() !== "") return undefined;
    if (block.startsWith(" ")) return [{ from: marker, to, insert: block }];
    return [
      { from: marker, to, insert: "" },
      { from: end, to: end, insert: block },
    ];
  }

  /** Returns the comment on the first line of a block scalar (`key: | # comment`), with the space before it. */
  #headComment(node: Ranged): string {
    if (!yaml().isScalar(node) || !/^BLOCK_/.test(node.type ?? "")) return "";
    const head = this.#text.slice(node.range![0], lineEnd(this.#text, node.range![0]));
    return /[ \t]+#.*$/su.exec(head)?.[0] ?? "";
  }

  #addToFlow(
    parent: Collection,
    index: number,
    name: string | undefined,
    value: Data,
  ): IndexEdit[] | undefined {
    const list = bracketed(parent);
    if (list === undefined) return undefined;
    const written = writeFlow(value);
    const item = name === undefined ? written : `${writeFlow(name)}: ${written}`;
    const padded = yaml().isMap(parent) && (list.items.length === 0 || this.#text[list.from] === " ");
    return insertItem(this.#text, list, index, item, {
      pad: padded ? " " : "",
      gap: " ",
      eol: this.#style.eol,
    });
  }

  #addToBlock(
    parent: Collection,
    index: number,
    name: string | undefined,
    value: Data,
  ): IndexEdit[] | undefined {
    const column = this.#columnOf(parent, 0);
    if (index === 0) {
      const start = startOf(parent, 0);
      if (start === undefined) return undefined;
      const block = writeBlock(name, writable(value), this.#style, column);
      return [{ from: start, to: start, insert: block + this.#style.eol + " ".repeat(column) }];
    }
    const end = this.#endOf(parent, index - 1);
    if (end === undefined) return undefined;
    const place = lineEnd(this.#text, end);
    const style = this.#styleAt(place);
    const block = writeBlock(name, writable(value), style, column);
    return [{ from: place, to: place, insert: style.eol + " ".repeat(column) + block }];
  }

  /** Returns the style of lines that are inserted at the end of a line. */
  #styleAt(end: number): BlockStyle {
    return { ...this.#style, eol: breakAt(this.#text, end, this.#style.eol) };
  }

  #remove(parent: Collection, index: number, key: Key): Attempt<readonly IndexEdit[]> | undefined {
    if (parent.flow) {
      const list = bracketed(parent);
      return list && removeItem(this.#text, list, index);
    }
    const start = startOf(parent, index);
    const end = this.#endOf(parent, index);
    if (start === undefined || end === undefined) return undefined;
    if (parent.items.length === 1) return this.#replaceByEmpty(key, parent, { from: start, to: end });
    const line = lineStart(this.#text, start);
    if (this.#text.slice(line, start).trim() === "")
      return [{ from: line, to: nextLine(this.#text, end), insert: "" }];
    const next = startOf(parent, index + 1);
    return next === undefined ? undefined : [{ from: start, to: next, insert: "" }];
  }

  /** Replaces a block that became empty by empty brackets, because a block cannot be empty. */
  #replaceByEmpty(key: Key, parent: Collection, place: Place): Attempt<readonly IndexEdit[]> | undefined {
    const empty = yaml().isMap(parent) ? new Map<string, Data>() : [];
    if (key.length > 0) return this.#step({ kind: "replace", key, value: empty });
    return [{ ...place, insert: yaml().isMap(parent) ? "{}" : "[]" }];
  }

  /** Returns the column of the keys or dashes of a block. */
  #columnOf(parent: Collection, index: number): number {
    const start = startOf(parent, index) ?? 0;
    return start - lineStart(this.#text, start);
  }

  /** Returns the range of a node, without white space and line breaks after it. */
  #placeOf(node: Ranged): Place | undefined {
    if (!node.range) return undefined;
    const [from, to] = node.range;
    const block = (yaml().isMap(node) || yaml().isSeq(node)) && !node.flow;
    const end = block ? this.#endOf(node, node.items.length - 1) : undefined;
    return { from, to: end ?? from + this.#text.slice(from, to).trimEnd().length };
  }

  /** Returns the end of an item of a block. */
  #endOf(parent: Collection, index: number): number | undefined {
    const node = nodeAt(parent, index);
    const place = node && this.#placeOf(node);
    const marker = markerOf(parent, index);
    if (place === undefined || marker === undefined) return undefined;
    return place.from === place.to ? marker : place.to;
  }
}

/** Returns a block with a comment at the end of its first line. */
function withComment(block: string, comment: string): string {
  return comment === "" ? block : block.replace(/\r?\n|$/, (end) => comment + end);
}

/** The start of a text, which shows its style. */
const SHOWS_STYLE = 64 << 10;

function styleOf(whole: string, eol: Eol): BlockStyle {
  const text = whole.slice(0, SHOWS_STYLE);
  return {
    indent: /\n( +)[^\s#]/.exec(text)?.[1]?.length ?? 2,
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
    eol,
  };
}

function taggedOtherwise(key: Key, tag: string): StructureFailure {
  return new StructureFailure(
    "invalid_value",
    `${spell(key)} has the tag ${tag}, which the value contradicts`,
    {
      suggestion: "Remove the tag first with edit.replace, or give a value of its kind.",
    },
  );
}

function notByteForByte(key: Key): StructureFailure {
  return new StructureFailure(
    "not_carried",
    `${spell(key)} is written in a way that cannot be edited without changing something else`,
    {
      suggestion: "Edit the text itself with edit.replace or edit.patch.",
    },
  );
}
