import type { LiveText } from "../../../client/browser.ts";
import { commonHead, commonTail } from "../../../text/ends.ts";

/** Makes a text what was shown before it had to be opened anew, where own typing had not arrived. */
export function restoreTyping(live: LiveText, shown: string): void {
  const { text } = live;
  const from = commonHead(text, shown);
  const tail = commonTail(text, shown, from);
  live.edit([{ from, to: text.length - tail, insert: shown.slice(from, shown.length - tail) }]);
}
