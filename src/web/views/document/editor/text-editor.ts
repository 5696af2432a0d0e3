import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { showError } from "../../../state/base/messages.ts";
import { appendOnly } from "./append-only.ts";
import { type Bindable, Binding } from "./binding.ts";
import { indentationOf, LONG, languageOf, wrappingOf } from "./language.ts";
import { textDirection } from "./text-direction.ts";

/** The part of the text that the person may change. */
export type EditingAllowed = "nothing" | "appending" | "everything";

interface TextEditorOptions {
  readonly parent: HTMLElement;
  readonly text: Bindable;
  readonly path: string;
  readonly allowed: EditingAllowed;
  /** Extensions that have precedence over the others. */
  readonly extra: Extension;
}

/** An editor that is bound to a text. */
export class TextEditor {
  readonly view: EditorView;
  readonly binding: Binding;
  readonly #language = new Compartment();
  readonly #wrapping = new Compartment();
  readonly #allowed = new Compartment();
  #path = "";
  readonly #disconnect: () => void;
  readonly #listeners = new Set<() => void>();

  constructor({ parent, text, path, allowed, extra }: TextEditorOptions) {
    this.binding = new Binding(text);
    const { doc } = this.binding;
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc,
        extensions: [
          extra,
          basics,
          doc.length > LONG ? [] : highlightSelectionMatches(),
          indentUnit.of(indentationOf(text.text)),
          this.#language.of([]),
          // Each key parses a whole paragraph, which takes too long for megabytes.
          EditorState.transactionExtender.of(({ docChanged, startState, newDoc }) =>
            docChanged && newDoc.length > LONG && startState.doc.length <= LONG
              ? { effects: this.#language.reconfigure([]) }
              : null,
          ),
          this.#wrapping.of(wrappingOf(path)),
          this.#allowed.of(editingExtension(allowed)),
          this.binding.extension,
          EditorView.updateListener.of(({ docChanged, selectionSet }) => {
            if (docChanged || selectionSet) for (const listener of this.#listeners) listener();
          }),
        ],
      }),
    });
    this.#disconnect = this.binding.connect(this.view);
    this.setPath(path);
  }

  /** Whether the text is too long for syntax colours. */
  get isLong(): boolean {
    return this.view.state.doc.length > LONG;
  }

  /** Sets the path, from which the editor derives the language and the line wrapping. */
  setPath(path: string): void {
    if (path === this.#path) return;
    this.#path = path;
    this.view.dispatch({ effects: this.#wrapping.reconfigure(wrappingOf(path)) });
    languageOf(path).then(
      (language) => {
        if (!this.isLong) this.view.dispatch({ effects: this.#language.reconfigure(language) });
      },
      (error: unknown) => showError("Could not load the syntax colours", error),
    );
  }

  allow(allowed: EditingAllowed): void {
    this.view.dispatch({ effects: this.#allowed.reconfigure(editingExtension(allowed)) });
  }

  /** Calls `listener` after each change of the text or the selection. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#disconnect();
    this.view.destroy();
  }
}

function editingExtension(allowed: EditingAllowed): Extension {
  if (allowed === "appending") return appendOnly;
  return EditorState.readOnly.of(allowed === "nothing");
}

const basics: Extension = [
  // The text is a stop of the Tab key, also for tools that look for the attribute.
  EditorView.contentAttributes.of({ tabindex: "0" }),
  lineNumbers(),
  textDirection,
  highlightSpecialChars(),
  history(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  rectangularSelection(),
  crosshairCursor(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  syntaxHighlighting(classHighlighter),
  search({ top: true }),
  EditorState.phrases.of({
    next: "Next",
    previous: "Previous",
    all: "All",
    "match case": "Match case",
    regexp: "Pattern",
    "by word": "Whole words",
    replace: "Replace",
    "replace all": "Replace all",
  }),
  Prec.low(keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab])),
];
