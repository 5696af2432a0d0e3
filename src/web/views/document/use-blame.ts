import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { OpenDocument } from "../../state/documents/open-documents.ts";
import type { BlamePoint } from "./blame-card.tsx";
import { runsOf } from "./blame-runs.ts";
import { blamedAt, showBlame } from "./editor/blame.ts";
import type { TextEditor } from "./editor/text-editor.ts";

/** Milliseconds for which the pointer has to stay on a mark before the card opens. */
const OPEN_MS = 180;
/** Milliseconds that the pointer has to reach the card before the card closes. */
const CLOSE_MS = 300;
/** Pixels between a line's mark and the card. */
const GAP = 4;

interface BlameState {
  /** The change whose card is open. */
  readonly pointed: Signal<BlamePoint | undefined>;
  /** Opens the card for the line of the cursor. Returns false if its author is not known. */
  readonly openHere: () => boolean;
  /** Keeps the card open, as the pointer has reached it. */
  readonly keepOpen: () => void;
}

/** Shows the gutter with the author of each line in an editor while `shown` is true. */
export function useBlame(
  document: OpenDocument,
  editor: ReadonlySignal<TextEditor | undefined>,
  shown: boolean,
): BlameState {
  const pointed = useSignal<BlamePoint | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const soon = (ms: number, then: BlamePoint | undefined) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!pointed.value?.byKey) pointed.value = then;
    }, ms);
  };
  const current = editor.value;
  useEffect(() => {
    if (current === undefined || !shown) return;
    showBlame(current.view, {
      runsOf: (first, last) => runsOf(document, current, first, last),
      pointed: (change, { top, right }) => soon(OPEN_MS, { change, top, left: right + GAP, byKey: false }),
      left: () => soon(CLOSE_MS, undefined),
    });
    return () => {
      clearTimeout(timer.current);
      pointed.value = undefined;
      if (editor.peek() === current) showBlame(current.view, undefined);
    };
  }, [current, shown]);
  return {
    pointed,
    openHere: () => {
      const { view } = editor.peek()!;
      const { head } = view.state.selection.main;
      const change = blamedAt(view, head);
      const at = view.coordsAtPos(head);
      if (change === undefined || at === null) return false;
      pointed.value = { change, top: at.bottom + GAP, left: at.left, byKey: true };
      return true;
    },
    keepOpen: () => clearTimeout(timer.current),
  };
}
