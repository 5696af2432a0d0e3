import { type EditorState, type Extension, Facet } from "@codemirror/state";
import { type EditorView, type LayerMarker, layer } from "@codemirror/view";
import { authorInitials, authorName } from "../../../state/changes/authors.ts";
import { colours } from "./colours.ts";

/** The name of an author at a position of the editor. */
export interface NameAt {
  readonly position: number;
  readonly author: string;
}

/** Sources of names. Names of one line that are equal appear once. */
export const namesAt: Facet<readonly NameAt[], readonly NameAt[]> = Facet.define({
  combine: (sources) => sources.flat(),
});

/** Pixels between the end of a line's text and a name, and between two names. */
const GAP = 8;
/** Pixels of a label beside its letters, and of one letter at most. */
const PADDING = 10;
const LETTER = 7.5;
/** Pixels of a label with two letters. */
const SHORT = 2 * LETTER + PADDING;

/** A label with a name, in pixels of the scrolled content. */
class NameLabel implements LayerMarker {
  readonly #author: string;
  readonly #text: string;
  readonly #left: number;
  readonly #top: number;
  readonly #height: number;

  constructor(author: string, text: string, left: number, top: number, height: number) {
    this.#author = author;
    this.#text = text;
    this.#left = left;
    this.#top = top;
    this.#height = height;
  }

  eq(other: NameLabel): boolean {
    return (
      other.#author === this.#author &&
      other.#text === this.#text &&
      other.#left === this.#left &&
      other.#top === this.#top &&
      other.#height === this.#height
    );
  }

  draw(): HTMLElement {
    const label = document.createElement("span");
    label.className = "cm-name";
    label.dataset["name"] = authorName(this.#author);
    label.textContent = this.#text;
    label.setAttribute(
      "style",
      `${colours(this.#author)};left:${this.#left}px;top:${this.#top}px;line-height:${this.#height}px`,
    );
    return label;
  }
}

/**
 * Shows the names of others after the end of their lines, where they cover neither text nor one another. Names
 * without room are shortened to two letters each, and to their number if that is too long, too.
 */
export const nameLabels: Extension = layer({
  above: true,
  class: "cm-names",
  update: ({ docChanged, viewportChanged, geometryChanged, startState, state }) =>
    docChanged || viewportChanged || geometryChanged || startState.facet(namesAt) !== state.facet(namesAt),
  markers: (view) => [...byLine(view.state)].flatMap(([end, authors]) => labelsAt(view, end, authors)),
});

/** Returns the authors in each line, by the position of the line's end. */
function byLine(state: EditorState): ReadonlyMap<number, ReadonlySet<string>> {
  const lines = new Map<number, Set<string>>();
  for (const { position, author } of state.facet(namesAt)) {
    const { to } = state.doc.lineAt(Math.min(position, state.doc.length));
    lines.set(to, (lines.get(to) ?? new Set()).add(author));
  }
  return lines;
}

function labelsAt(view: EditorView, end: number, authors: ReadonlySet<string>): NameLabel[] {
  const { from, to } = view.viewport;
  const at = end < from || end > to ? null : view.coordsAtPos(end, -1);
  if (at === null) return [];
  const { scrollDOM } = view;
  const box = scrollDOM.getBoundingClientRect();
  const right = scrollDOM.clientWidth + scrollDOM.scrollLeft;
  const top = at.top - box.top + scrollDOM.scrollTop;
  let left = at.right - box.left + scrollDOM.scrollLeft + GAP;
  let room = right - left;
  const [first] = authors;
  if (authors.size > 1 && authors.size * (SHORT + GAP) > room)
    return [new NameLabel(first!, `${authors.size}`, right - SHORT, top, at.bottom - at.top)];
  return [...authors].map((author, i) => {
    const name = authorName(author);
    const whole = name.length * LETTER + PADDING;
    const others = (authors.size - i - 1) * (SHORT + GAP);
    const isWhole = whole + others <= room;
    const width = isWhole ? whole : SHORT;
    const label = new NameLabel(
      author,
      isWhole ? name : authorInitials(author),
      Math.min(left, right - width),
      top,
      at.bottom - at.top,
    );
    left += width + GAP;
    room -= width + GAP;
    return label;
  });
}
