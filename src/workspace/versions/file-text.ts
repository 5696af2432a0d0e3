import type { Seq } from "../../store/store.ts";

/**
 * A text that the file had: the text after the change `seq`. Where `isAlone`, that change is a save, and the file had
 * only the save's text, without the edits that the daemon merged beside it.
 */
export interface FileText {
  readonly seq: Seq;
  readonly isAlone: boolean;
}
