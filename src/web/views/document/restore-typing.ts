import type { LiveText } from "../../../client/browser.ts";
import { commonHead, commonTail } from "../../../text/diff/ends.ts";

/** Gives a reopened text the content that the view showed, as the daemon had not received all own edits. */
export function restoreTyping(live: LiveText, shown: string): void {
  const { text } = live;
  const from = commonHead(text, shown);
  const tail = commonTail(text, shown, from);
  live.edit([{ from, to: text.length - tail, insert: shown.slice(from, shown.length - tail) }]);
}
