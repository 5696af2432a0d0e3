import { type EditorState, type Extension, StateField } from "@codemirror/state";
import { type EditorView, keymap, showTooltip, type Tooltip } from "@codemirror/view";

/** Offers to ask about the selected text, with a button beside it and with Alt A. */
export function askButton(onAsk: (view: EditorView) => void): Extension {
  const tooltip = StateField.define<Tooltip | null>({
    create: (state) => tooltipOf(state, onAsk),
    update: (before, { docChanged, selection, state }) =>
      docChanged || selection !== undefined ? tooltipOf(state, onAsk) : before,
    provide: (field) => showTooltip.from(field),
  });
  const run = (view: EditorView) => {
    if (!view.state.selection.main.empty) onAsk(view);
    return true;
  };
  return [tooltip, keymap.of([{ key: "Alt-a", run }])];
}

function tooltipOf({ selection }: EditorState, onAsk: (view: EditorView) => void): Tooltip | null {
  const { empty, head, anchor } = selection.main;
  if (empty) return null;
  return {
    pos: head,
    above: head < anchor,
    strictSide: false,
    create(view) {
      const dom = document.createElement("div");
      dom.className = "cm-ask";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = "Ask about this";
      button.title = "Ask about the selected text (Alt A)";
      // The editor keeps its focus and its selection until the composer takes the focus.
      button.addEventListener("mousedown", (event) => event.preventDefault());
      button.addEventListener("click", () => onAsk(view));
      dom.append(button);
      return { dom };
    },
  };
}
