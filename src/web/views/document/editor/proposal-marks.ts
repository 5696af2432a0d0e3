import { type Extension, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";
import { hrefOf } from "../../../state/base/route.ts";
import { authorInitials, authorName } from "../../../state/changes/authors.ts";
import type { ProposedLines } from "../proposed-lines.ts";
import { colours } from "./colours.ts";

const proposed = StateEffect.define<readonly ProposedLines[]>();

/** Marks the lines of pending proposals, in place of those marked before. */
export function showProposed(view: EditorView, all: readonly ProposedLines[]): void {
  view.dispatch({ effects: proposed.of(all) });
}

/** A link to the review of a proposal, beside its first line. Several proposals that begin there share it. */
class ProposalMark extends GutterMarker {
  readonly #author: string;
  readonly #id: string;
  readonly #count: number;

  constructor({ author, id }: ProposedLines, count: number) {
    super();
    this.#author = author;
    this.#id = id;
    this.#count = count;
  }

  override eq(other: ProposalMark): boolean {
    return other.#author === this.#author && other.#id === this.#id && other.#count === this.#count;
  }

  override toDOM(): HTMLElement {
    const link = document.createElement("a");
    link.className = "cm-proposal-mark";
    link.href = hrefOf({ view: "proposals", id: this.#id });
    const isAlone = this.#count === 1;
    link.title = isAlone
      ? `${authorName(this.#author)} proposes a change here. Click to review it.`
      : `${this.#count} proposals would change this line. Click to review one of them.`;
    link.textContent = isAlone ? authorInitials(this.#author) : String(this.#count);
    link.tabIndex = -1; // the banner above the text has the same link for keys
    link.setAttribute("style", colours(this.#author));
    return link;
  }
}

interface Marks {
  readonly lines: RangeSet<Decoration>;
  readonly links: RangeSet<ProposalMark>;
}

const NONE: Marks = { lines: RangeSet.empty, links: RangeSet.empty };

const marks = StateField.define<Marks>({
  create: () => NONE,
  update({ lines, links }, { changes, effects, newDoc }) {
    const all = effects.findLast((effect) => effect.is(proposed))?.value as
      | readonly ProposedLines[]
      | undefined;
    return all === undefined
      ? { lines: lines.map(changes), links: links.map(changes) }
      : marksOf(all, newDoc);
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ lines }) => lines),
    gutter({ class: "cm-proposals", markers: ({ state }) => state.field(field).links }),
  ],
});

/** Marks lines that pending proposals would change. The marks move with the text until the next list arrives. */
export const proposalMarks: Extension = marks;

function marksOf(all: readonly ProposedLines[], doc: Text): Marks {
  const lines = all.flatMap(({ author, first, last }) => {
    const line = Decoration.line({ class: "cm-proposed", attributes: { style: colours(author) } });
    const numbers = Array.from(
      { length: Math.max(0, Math.min(last, doc.lines) - first + 1) },
      (_, i) => first + i,
    );
    return numbers.map((number) => line.range(doc.line(number).from));
  });
  const byLine = Map.groupBy(all, ({ first }) => first);
  const links = [...byLine].flatMap(([first, ones]) => {
    if (first > doc.lines) return [];
    const count = new Set(ones.map(({ id }) => id)).size;
    return new ProposalMark(ones[0]!, count).range(doc.line(first).from);
  });
  return { lines: RangeSet.of(lines, true), links: RangeSet.of(links, true) };
}
