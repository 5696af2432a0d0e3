import { safeCut } from "../text/positions.ts";

/** How long a change's message may be, in UTF-16 units, as the protocol counts a string's length. */
export const MESSAGE_UNITS = 80;

/** As much of a text as a change's message may be; a character at the edge is left out whole. */
export function shortMessage(text: string): string {
  return text.slice(0, safeCut(text, MESSAGE_UNITS));
}
