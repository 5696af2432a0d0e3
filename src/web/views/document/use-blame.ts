import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { OpenDocument } from "../../state/open-documents.ts";
import type { BlamePoint } from "./blame-card.tsx";
import { runsOf } from "./blame-runs.ts";
import { blamedAt, showBlame } from "./editor/blame.ts";
import type { TextEditor } from "./editor/text-editor.ts";

/** A pointer that only passes by opens nothing; one on its way to the card does not close it. */
const OPEN_MS = 180;
const CLOSE_MS = 300;
/** Between a line's mark and the card, in pixels. */
const GAP = 4;

export interface BlameState {
  /** The change that is asked about. */
  readonly pointed: Signal<BlamePoint | undefined>;
  /** Asks about the line of the cursor; false when it is not known who wrote it. */
  readonly askHere: () => boolean;
  /** The pointer is on the card. */
  readonly stay: () => void;
}

/** The gutter that says who wrote each line of an editor, while it is to be `shown`. */
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
  const made = editor.value;
  useEffect(() => {
    if (made === undefined || !shown) return;
    showBlame(made.view, {
      runsOf: (first, last) => runsOf(document, made, first, last),
      pointed: (change, { top, right }) => soon(OPEN_MS, { change, top, left: right + GAP, byKey: false }),
      left: () => soon(CLOSE_MS, undefined),
    });
    return () => {
      clearTimeout(timer.current);
      pointed.value = undefined;
      if (editor.peek() === made) showBlame(made.view, undefined);
    };
  }, [made, shown]);
  return {
    pointed,
    askHere: () => {
      const { view } = editor.peek()!;
      const { head } = view.state.selection.main;
      const change = blamedAt(view, head);
      const at = view.coordsAtPos(head);
      if (change === undefined || at === null) return false;
      pointed.value = { change, top: at.bottom + GAP, left: at.left, byKey: true };
      return true;
    },
    stay: () => clearTimeout(timer.current),
  };
}
