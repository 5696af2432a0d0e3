import type { Splice } from "../../../text/splice.ts";
import type { Bindable } from "./editor/binding.ts";

/** A copy of a document's text for a proposal. Edits of it do not change the document. */
export class LocalText implements Bindable {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  edit(splices: readonly Splice[]): void {
    let edited = "";
    let at = 0;
    for (const { from, to, insert } of splices) {
      edited += this.text.slice(at, from) + insert;
      at = to;
    }
    this.text = edited + this.text.slice(at);
  }

  /** Has no effect, as no one else changes the copy. */
  on(): () => void {
    return () => undefined;
  }
}
