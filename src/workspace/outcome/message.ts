import { safeCut } from "../../text/positions.ts";

/** How long a change's message may be, in UTF-16 units, as the protocol counts a string's length. */
export const MESSAGE_UNITS = 80;

/** As much of a text as a change's message may be; a character at the edge is left out whole. */
export function shortMessage(text: string): string {
  return cut(text, MESSAGE_UNITS);
}

/** The message of an edit that another than its author let happen: theirs, as far as there is room, and by whom. */
export function confirmedMessage(message: string | undefined, confirmer: string): string {
  const by = shortMessage(`confirmed by ${confirmer}`);
  const room = MESSAGE_UNITS - by.length - " ()".length;
  return message === undefined || room < 1 ? by : `${cut(message, room)} (${by})`;
}

function cut(text: string, units: number): string {
  return text.slice(0, safeCut(text, units));
}
