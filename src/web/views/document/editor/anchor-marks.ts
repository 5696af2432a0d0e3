import { type Extension, Facet, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** A place of the text that a message of a thread is about, in the editor's positions. */
export interface AnchorMark {
  readonly thread: string;
  readonly messageId: string;
  readonly from: number;
  readonly to: number;
  /** Whether the drawer shows the thread. */
  readonly isOpen: boolean;
}

const shown = StateEffect.define<readonly AnchorMark[]>();

/** Opens the thread of an anchor that the person clicks. */
const openThread = Facet.define<(thread: string) => void>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects, newDoc }) {
    const all = effects.findLast((effect) => effect.is(shown))?.value as readonly AnchorMark[] | undefined;
    return all === undefined ? before.map(changes) : marksOf(all, newDoc.length);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const clicks = EditorView.domEventHandlers({
  click({ target }, view) {
    const mark = target instanceof Element ? target.closest<HTMLElement>(".cm-anchor") : null;
    const thread = mark?.dataset["thread"];
    // A drag selects text, and opens nothing.
    if (thread === undefined || !view.state.selection.main.empty) return;
    for (const open of view.state.facet(openThread)) open(thread);
  },
});

/** Marks the places that threads are about. The marks move with the text until the next list arrives. */
export function anchorMarks(onOpen: (thread: string) => void): Extension {
  return [marks, clicks, openThread.of(onOpen)];
}

/** Marks these anchors, in place of those marked before. */
export function showAnchors(view: EditorView, anchors: readonly AnchorMark[]): void {
  view.dispatch({ effects: shown.of(anchors) });
}

/** Selects the text of a message's anchor and scrolls to it. Returns false if the text has no such mark. */
export function goToAnchor(view: EditorView, messageId: string): boolean {
  for (const at = view.state.field(marks).iter(); at.value !== null; at.next()) {
    if (at.value.spec["messageId"] !== messageId) continue;
    const { from, to } = at;
    view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    return true;
  }
  return false;
}

function marksOf(anchors: readonly AnchorMark[], length: number): DecorationSet {
  const ranges = anchors.flatMap(({ thread, messageId, from, to: end, isOpen }) => {
    const to = Math.min(end, length);
    if (from >= to) return [];
    const mark = Decoration.mark({
      class: `cm-anchor${isOpen ? " open" : ""}`,
      attributes: { "data-thread": thread, title: "Click to open the thread about this text" },
      messageId,
    });
    return [mark.range(from, to)];
  });
  return RangeSet.of(ranges, true);
}
