import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { dropCaret, showCaret } from "./editor/carets.ts";
import type { TextEditor } from "./editor/text-editor.ts";
import type { PresenceFeed } from "./presence.ts";

/** Draws the carets of the other viewers in an editor. */
export function useCarets(editor: ReadonlySignal<TextEditor | undefined>, { others }: PresenceFeed): void {
  /** The viewer of each drawn caret, by session. */
  const drawn = useRef(new Map<string, object>());
  useSignalEffect(() => {
    if (editor.value === undefined) return;
    const { view, binding } = editor.value;
    for (const session of drawn.current.keys())
      if (others.value.get(session)?.selection === undefined) {
        dropCaret(view, session);
        drawn.current.delete(session);
      }
    for (const [session, other] of others.value) {
      const { name, selection } = other;
      // A drawn caret moves with the text by itself until its viewer moves it.
      if (selection === undefined || drawn.current.get(session) === other) continue;
      drawn.current.set(session, other);
      const from = binding.breaks.toEditor(selection.from);
      showCaret(view, { session, name, from, to: binding.breaks.toEditor(selection.to) });
    }
  });
}
