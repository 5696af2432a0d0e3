import { Annotation, type Extension, type Text, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { LiveChange, LiveText } from "../../../../client/browser.ts";
import { LineBreaks } from "./line-breaks.ts";
import { wellFormed } from "./well-formed.ts";

/** Marks transactions that apply a change of the document to the editor, so that it is not sent back. */
export const fromDocument = Annotation.define<LiveChange>();

/** The text that an editor is bound to: a live document, or a copy for a proposal. */
export type Bindable = Pick<LiveText, "text" | "edit"> & {
  on(kind: "change", listener: (change: LiveChange) => void): () => void;
};

/**
 * Keeps an editor and a document's text equal. Typed text becomes an edit at once. Changes of others appear in the
 * editor, move the own selection along, and are not part of the editor's own undo.
 */
export class Binding {
  readonly #text: Bindable;
  #breaks: LineBreaks;
  /** The editor's initial text. */
  readonly doc: Text;

  constructor(text: Bindable) {
    this.#text = text;
    const { doc, breaks } = LineBreaks.of(text.text);
    this.doc = doc;
    this.#breaks = breaks;
  }

  /** The current line breaks; each change replaces them. */
  get breaks(): LineBreaks {
    return this.#breaks;
  }

  get extension(): Extension {
    return [
      wellFormed,
      EditorView.updateListener.of(({ transactions }) => {
        for (const transaction of transactions)
          if (transaction.docChanged && transaction.annotation(fromDocument) === undefined)
            this.#edited(transaction);
      }),
    ];
  }

  /** Applies changes of others to the editor. Returns a function that ends this. */
  connect(view: EditorView): () => void {
    return this.#text.on("change", (change) => {
      if (change.local) return;
      const { changes, breaks } = this.#breaks.fromDocument(change.splices, view.state.doc);
      this.#breaks = breaks;
      view.dispatch({
        changes,
        annotations: [
          fromDocument.of(change),
          Transaction.remote.of(true),
          Transaction.addToHistory.of(false),
        ],
      });
    });
  }

  #edited({ changes, startState }: Transaction): void {
    const { splices, breaks } = this.#breaks.fromEditor(changes, startState.doc);
    this.#breaks = breaks;
    this.#text.edit(splices);
  }
}
