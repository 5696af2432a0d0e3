import { type Extension, type Range, StateEffect, StateField, type Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from "@codemirror/view";
import { fromDocument } from "./binding.ts";
import { colours } from "./colours.ts";
import { type NameAt, namesAt } from "./name-labels.ts";

/** Milliseconds for which a change of another author stays marked; the style sheet fades it out. */
const FLASH_MS = 3_000;
/** Most marked places of one change. */
const MOST_RANGES = 100;

const fade = StateEffect.define<number>();

/** The number of the newest change, which identifies its marks. */
let changeNumber = 0;

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

/** The author's name at the first place of each change. */
const names = StateField.define<readonly (NameAt & { readonly change: number })[]>({
  create: () => [],
  update(shown, transaction) {
    const { changes, docChanged, effects } = transaction;
    const faded = effects.flatMap((effect) => (effect.is(fade) ? effect.value : []));
    const author = transaction.annotation(fromDocument)?.author;
    const isMade = author !== undefined && docChanged;
    if (faded.length === 0 && !isMade && (!docChanged || shown.length === 0)) return shown;
    const still = shown.flatMap((name) =>
      faded.includes(name.change) ? [] : { ...name, position: changes.mapPos(name.position, 1) },
    );
    return isMade ? [...still, { position: firstPlace(transaction), author, change: changeNumber }] : still;
  },
  provide: (field) => namesAt.from(field),
});

function firstPlace({ changes }: Transaction): number {
  let first: number | undefined;
  changes.iterChangedRanges((_from, _to, _newFrom, to) => {
    first ??= to;
  });
  return first ?? 0;
}

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
export const flash: Extension = [marks, names, fading];

function marksOf(transaction: Transaction): Range<Decoration>[] {
  const author = transaction.annotation(fromDocument)?.author;
  if (author === undefined || !transaction.docChanged) return [];
  const change = ++changeNumber;
  const ranges: { from: number; to: number }[] = [];
  transaction.changes.iterChangedRanges((_from, _to, from, to) => void ranges.push({ from, to }));
  const mark = Decoration.mark({ class: "cm-flash", attributes: { style: colours(author) }, change });
  return ranges.slice(0, MOST_RANGES).flatMap(({ from, to }) => (from < to ? [mark.range(from, to)] : []));
}
