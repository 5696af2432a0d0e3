import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { colours } from "./colours.ts";
import { namesAt } from "./name-labels.ts";

/** The caret and selection of another viewer, in the editor's positions. */
interface RemoteCaret {
  readonly session: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** A viewer moved. */
const moved = StateEffect.define<RemoteCaret>({
  map: (caret, changes) => ({ ...caret, from: changes.mapPos(caret.from), to: changes.mapPos(caret.to) }),
});
/** The viewer of a session left. */
const left = StateEffect.define<string>();

class CaretWidget extends WidgetType {
  readonly #session: string;
  readonly #name: string;

  constructor({ session, name }: RemoteCaret) {
    super();
    this.#session = session;
    this.#name = name;
  }

  override eq(other: CaretWidget): boolean {
    return other.#session === this.#session && other.#name === this.#name;
  }

  override toDOM(): HTMLElement {
    const caret = document.createElement("span");
    caret.className = "cm-remote-caret";
    caret.setAttribute("style", colours(this.#name));
    caret.setAttribute("aria-hidden", "true");
    return caret;
  }
}

const carets = StateField.define<ReadonlyMap<string, RemoteCaret>>({
  create: () => new Map(),
  update(before, { changes, effects, docChanged }) {
    const steps = effects.filter((effect) => effect.is(moved) || effect.is(left));
    if (steps.length === 0 && (!docChanged || before.size === 0)) return before;
    const after = new Map<string, RemoteCaret>();
    for (const [session, caret] of before)
      after.set(session, { ...caret, from: changes.mapPos(caret.from, 1), to: changes.mapPos(caret.to, 1) });
    for (const effect of steps) {
      if (effect.is(moved)) after.set(effect.value.session, effect.value);
      else after.delete(effect.value as string);
    }
    return after;
  },
  provide: (field) => [
    EditorView.decorations.from(field, caretDecorations),
    namesAt.from(field, (all) => [...all.values()].map(({ to, name }) => ({ position: to, author: name }))),
  ],
});

/** Shows the carets of other viewers. They move along with text that is inserted before them. */
export const remoteCarets: Extension = carets;

/** Shows the caret of a viewer. A position after the end of the text becomes its end. */
export function showCaret(view: EditorView, caret: RemoteCaret): void {
  const { length } = view.state.doc;
  const within = { ...caret, from: Math.min(caret.from, length), to: Math.min(caret.to, length) };
  view.dispatch({ effects: moved.of(within) });
}

export function dropCaret(view: EditorView, session: string): void {
  view.dispatch({ effects: left.of(session) });
}

function caretDecorations(all: ReadonlyMap<string, RemoteCaret>): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const caret of all.values()) {
    const { from, to, name } = caret;
    const style = colours(name);
    if (from < to)
      ranges.push(Decoration.mark({ class: "cm-remote-selection", attributes: { style } }).range(from, to));
    ranges.push(Decoration.widget({ widget: new CaretWidget(caret), side: 1 }).range(to));
  }
  return Decoration.set(ranges, true);
}
