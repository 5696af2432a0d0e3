import { type Extension, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";
import { authorInitials, authorName } from "../../../state/authors.ts";
import { hrefOf } from "../../../state/route.ts";
import type { ProposedLines } from "../proposed-lines.ts";
import { colours } from "./colours.ts";

const proposed = StateEffect.define<readonly ProposedLines[]>();

/** Marks the lines of pending proposals, in place of those marked before. */
export function showProposed(view: EditorView, all: readonly ProposedLines[]): void {
  view.dispatch({ effects: proposed.of(all) });
}

/** A link to the review of a proposal, beside its first line. */
class ProposalMark extends GutterMarker {
  readonly #author: string;
  readonly #id: string;

  constructor({ author, id }: ProposedLines) {
    super();
    this.#author = author;
    this.#id = id;
  }

  override eq(other: ProposalMark): boolean {
    return other.#author === this.#author && other.#id === this.#id;
  }

  override toDOM(): HTMLElement {
    const link = document.createElement("a");
    link.className = "cm-proposal-mark";
    link.href = hrefOf({ view: "proposals", id: this.#id });
    link.title = `${authorName(this.#author)} proposes a change here. Click to review it.`;
    link.textContent = authorInitials(this.#author);
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
  const links = all.flatMap((one) =>
    one.first > doc.lines ? [] : new ProposalMark(one).range(doc.line(one.first).from),
  );
  return { lines: RangeSet.of(lines, true), links: RangeSet.of(links, true) };
}
