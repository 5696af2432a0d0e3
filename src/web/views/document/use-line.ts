import { EditorView } from "@codemirror/view";
import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { replaceRoute, route } from "../../state/base/route.ts";
import type { TextEditor } from "./editor/text-editor.ts";

/** Goes to the line that the address names, once. The address then loses it, so that a reload stays where it is. */
export function useLine(editor: ReadonlySignal<TextEditor | undefined>): void {
  useSignalEffect(() => {
    const here = route.value;
    if (editor.value === undefined || here.view !== "document" || here.line === undefined) return;
    const { view } = editor.value;
    const { from } = view.state.doc.line(Math.min(here.line, view.state.doc.lines));
    view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    view.focus();
    replaceRoute({ ...here, line: undefined });
  });
}
