import type { Splice } from "../../../text/splice.ts";
import type { Bindable } from "./editor/binding.ts";

/** A copy of a document's text that is edited for a proposal, and changes nothing. */
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

  /** Nobody else changes it. */
  on(): () => void {
    return () => undefined;
  }
}
