import { Annotation, type Extension, type Text, Transaction } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { LiveChange, LiveText } from "../../../../client/browser.ts";
import { LineBreaks } from "./line-breaks.ts";
import { wellFormed } from "./well-formed.ts";

/** On transactions that bring what the text is already: what others did, mostly. */
export const fromDocument = Annotation.define<LiveChange>();

/** What an editor is bound to: the document, or a copy that becomes a proposal. */
export type Bindable = Pick<LiveText, "text" | "edit"> & {
  on(kind: "change", listener: (change: LiveChange) => void): () => void;
};

/**
 * Keeps an editor and a document's text the same: what is typed is made an edit at once, and what others do is
 * shown, with the own selection carried along and nothing of it in the editor's own undo.
 */
export class Binding {
  readonly #text: Bindable;
  #breaks: LineBreaks;
  /** What the editor begins with. */
  readonly doc: Text;

  constructor(text: Bindable) {
    this.#text = text;
    const { doc, breaks } = LineBreaks.of(text.text);
    this.doc = doc;
    this.#breaks = breaks;
  }

  /** As they are now: to be asked again after each change. */
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

  /** Shows what others do until the answer is called. */
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
