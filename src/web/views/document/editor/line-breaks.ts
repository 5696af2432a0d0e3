import { type ChangeSet, type ChangeSpec, Text } from "@codemirror/state";
import { normalize, type Splice } from "../../../../text/splice.ts";

/** A change of the editor's text, in the editor's positions. */
interface EditorChange {
  readonly from: number;
  readonly to: number;
  readonly insert: Text;
  /** Positions in `insert` of the breaks that are `\r\n` in the document. */
  readonly crlf: readonly number[];
}

/**
 * Maps between a document's text and its editor's text. In the editor, `\r\n` and `\n` are both one break. This class
 * remembers which breaks are `\r\n`, so that positions and edits map exactly both ways, also with mixed line ends.
 * A lone `\r` is an ordinary character, as for the daemon. Positions are JavaScript string indices.
 */
export class LineBreaks {
  /** The editor's positions of the breaks that are `\r\n`, ascending. */
  readonly #crlf: readonly number[];

  private constructor(crlf: readonly number[]) {
    this.#crlf = crlf;
  }

  /** Returns the editor's text for a document's text. */
  static of(text: string): { readonly doc: Text; readonly breaks: LineBreaks } {
    const { insert, crlf } = split(text);
    return { doc: insert, breaks: new LineBreaks(crlf) };
  }

  /** The number of `\r\n` breaks. */
  get count(): number {
    return this.#crlf.length;
  }

  toDocument(position: number): number {
    return position + lowest(this.#crlf.length, (i) => this.#crlf[i]! >= position);
  }

  /** Returns the editor's position. A position inside a `\r\n` maps to the one before it. */
  toEditor(position: number): number {
    return position - this.#breaksBefore(position);
  }

  /** Returns the changes of the editor's text `doc` for an edit of the document. */
  fromDocument(splices: readonly Splice[], doc: Text): { changes: ChangeSpec[]; breaks: LineBreaks } {
    const changes = normalize(splices).map((splice) => this.#widen(splice, doc));
    return {
      changes: changes.map(({ from, to, insert }) => ({ from, to, insert })),
      breaks: this.#after(changes),
    };
  }

  /** Returns the edit of the document for a change of the editor's earlier text `doc`. */
  fromEditor(changes: ChangeSet, doc: Text): { splices: Splice[]; breaks: LineBreaks } {
    const splices: Splice[] = [];
    const editorChanges: EditorChange[] = [];
    changes.iterChanges((from, to, _from, _to, insert) => {
      const crlf = insert.lines > 1 && this.#isCrlfAround(from, doc);
      editorChanges.push({ from, to, insert, crlf: crlf ? breaksOf(insert) : [] });
      splices.push(
        this.#wholeCharacters(from, to, insert.sliceString(0, insert.length, crlf ? "\r\n" : "\n"), doc),
      );
    });
    return { splices, breaks: this.#after(editorChanges) };
  }

  /** Widens an edit that begins or ends inside a `\r\n`, or that forms one with the next character. */
  #widen({ from, to, insert }: Splice, doc: Text): EditorChange {
    const start = this.toEditor(from);
    let end = this.toEditor(to);
    let text = this.#isInside(from) ? `\r${insert}` : insert;
    const joins = text.endsWith("\r") && !this.#has(end) && doc.sliceString(end, end + 1) === "\n";
    if (this.#isInside(to) || joins) {
      end++;
      text += "\n";
    }
    return { from: start, to: end, ...split(text) };
  }

  /** Widens a change of one half of a surrogate pair, as the document has only whole characters. */
  #wholeCharacters(start: number, end: number, text: string, doc: Text): Splice {
    let [from, to, insert] = [start, end, text];
    if (isInsidePair(doc, from)) insert = doc.sliceString(--from, start) + insert;
    if (isInsidePair(doc, to)) insert += doc.sliceString(end, ++to);
    return { from: this.toDocument(from), to: this.toDocument(to), insert };
  }

  /** Returns whether the line at a position ends with `\r\n`; for the last line, whether the line before does. */
  #isCrlfAround(position: number, doc: Text): boolean {
    const line = doc.lineAt(position);
    return this.#has(line.number < doc.lines ? line.to : line.from - 1);
  }

  #after(changes: readonly EditorChange[]): LineBreaks {
    if (this.#crlf.length === 0 && changes.every(({ crlf }) => crlf.length === 0)) return this;
    const after: number[] = [];
    let next = 0;
    let shift = 0;
    for (const { from, to, insert, crlf } of changes) {
      for (; this.#crlf[next]! < from; next++) after.push(this.#crlf[next]! + shift);
      while (this.#crlf[next]! < to) next++;
      for (const at of crlf) after.push(from + shift + at);
      shift += insert.length - (to - from);
    }
    for (; next < this.#crlf.length; next++) after.push(this.#crlf[next]! + shift);
    return new LineBreaks(after);
  }

  /** Returns the number of `\r\n` that begin before a position of the document. */
  #breaksBefore(position: number): number {
    return lowest(this.#crlf.length, (i) => this.#crlf[i]! + i >= position);
  }

  #isInside(position: number): boolean {
    const before = this.#breaksBefore(position);
    return before > 0 && this.#crlf[before - 1]! + before === position;
  }

  #has(at: number): boolean {
    return this.#crlf[lowest(this.#crlf.length, (i) => this.#crlf[i]! >= at)] === at;
  }
}

function split(text: string): { insert: Text; crlf: number[] } {
  const lines = text.split("\n");
  const crlf: number[] = [];
  if (text.includes("\r")) {
    let at = 0;
    for (let i = 0; i < lines.length - 1; i++) {
      if (lines[i]!.endsWith("\r")) {
        lines[i] = lines[i]!.slice(0, -1);
        crlf.push(at + lines[i]!.length);
      }
      at += lines[i]!.length + 1;
    }
  }
  return { insert: Text.of(lines), crlf };
}

function breaksOf(text: Text): number[] {
  return Array.from({ length: text.lines - 1 }, (_, i) => text.line(i + 1).to);
}

function isInsidePair(doc: Text, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(doc.sliceString(Math.max(0, at - 1), at + 1));
}

/** Returns the lowest index for which `holds`, or `length`. It has to hold for all higher indexes. */
function lowest(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
