import { type Extension, type Range, StateEffect, StateField, type Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { authorName } from "../../../state/authors.ts";
import { fromDocument } from "./binding.ts";
import { colours } from "./colours.ts";

/** Milliseconds for which a change of another author stays marked; the style sheet fades it out. */
const FLASH_MS = 3_000;
/** Most marked places of one change. */
const MOST_RANGES = 100;

const fade = StateEffect.define<number>();

/** The number of the newest change, which identifies its marks. */
let changeNumber = 0;

class NameTag extends WidgetType {
  readonly #author: string;

  constructor(author: string) {
    super();
    this.#author = author;
  }

  override eq(other: NameTag): boolean {
    return other.#author === this.#author;
  }

  override toDOM(): HTMLElement {
    const tag = document.createElement("span");
    tag.className = "cm-name-tag";
    tag.setAttribute("style", colours(this.#author));
    tag.setAttribute("aria-hidden", "true");
    tag.dataset["name"] = authorName(this.#author);
    return tag;
  }
}

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let next = shown.map(transaction.changes);
    for (const effect of transaction.effects)
      if (effect.is(fade))
        next = next.update({ filter: (_from, _to, { spec }) => spec["change"] !== effect.value });
    const added = marksOf(transaction);
    return added.length === 0 ? next : next.update({ add: added, sort: true });
  },
  provide: (field) => EditorView.decorations.from(field),
});

const fading = ViewPlugin.define((view) => {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  return {
    update({ transactions }) {
      if (!transactions.some((transaction) => transaction.annotation(fromDocument)?.author !== undefined))
        return;
      const change = changeNumber;
      const timer = setTimeout(() => {
        timers.delete(timer);
        view.dispatch({ effects: fade.of(change) });
      }, FLASH_MS);
      timers.add(timer);
    },
    destroy() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
});

/** Marks changes of others for a moment in the colour and with the name of their author. */
export const flash: Extension = [marks, fading];

function marksOf(transaction: Transaction): Range<Decoration>[] {
  const author = transaction.annotation(fromDocument)?.author;
  if (author === undefined || !transaction.docChanged) return [];
  const change = ++changeNumber;
  const ranges: { from: number; to: number }[] = [];
  transaction.changes.iterChangedRanges((_from, _to, from, to) => void ranges.push({ from, to }));
  const mark = Decoration.mark({ class: "cm-flash", attributes: { style: colours(author) }, change });
  const found = ranges
    .slice(0, MOST_RANGES)
    .flatMap(({ from, to }) => (from < to ? [mark.range(from, to)] : []));
  const tag = Decoration.widget({ widget: new NameTag(author), side: 1, change });
  return [...found, tag.range(ranges[0]!.to)];
}
