import { syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { showError } from "../../state/base/messages.ts";
import { languageOf } from "../document/editor/language.ts";
import { textDirection } from "../document/editor/text-direction.ts";
import type { Layout } from "./layout.ts";

const COLLAPSE = { margin: 3, minSize: 8 };
/** Limits of the work on hostile texts; beyond them whole lines count as replaced. */
const DIFF = { scanLimit: 2_000, timeout: 500 };

const STYLE: Extension = EditorView.theme({
  "&": { fontSize: "12.5px", backgroundColor: "transparent", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--text-3)", border: "none" },
});

const READ_ONLY: Extension = [
  lineNumbers(),
  textDirection,
  EditorView.lineWrapping,
  syntaxHighlighting(classHighlighter),
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ tabindex: "0", "aria-label": "Text of the version" }),
  STYLE,
];

/**
 * Shows the difference of two texts, at first without the colours of their language: its file may come late or not at
 * all. Returns a function that removes the view.
 */
export function showMerge(
  parent: HTMLElement,
  path: string,
  { a, b }: { readonly a: string; readonly b: string },
  layout: Layout,
): () => void {
  const language = new Compartment();
  const reading = [READ_ONLY, language.of([])];
  parent.replaceChildren();
  const view = layout === "split" ? split(parent, a, b, reading) : unified(parent, a, b, reading);
  const editors = view instanceof MergeView ? [view.a, view.b] : [view];
  let isClosed = false;
  languageOf(path).then(
    (found) => {
      for (const editor of isClosed ? [] : editors) editor.dispatch({ effects: language.reconfigure(found) });
    },
    (error: unknown) => {
      if (!isClosed) showError("Could not load the syntax colours", error);
    },
  );
  return () => {
    isClosed = true;
    view.destroy();
  };
}

function split(parent: HTMLElement, a: string, b: string, extensions: Extension): MergeView {
  return new MergeView({
    parent,
    a: { doc: a, extensions },
    b: { doc: b, extensions },
    collapseUnchanged: COLLAPSE,
    diffConfig: DIFF,
  });
}

function unified(parent: HTMLElement, a: string, b: string, extensions: Extension): EditorView {
  const against = unifiedMergeView({
    original: a,
    mergeControls: false,
    collapseUnchanged: COLLAPSE,
    diffConfig: DIFF,
  });
  return new EditorView({ parent, doc: b, extensions: [extensions, against] });
}
