import { safeCut } from "../../text/positions.ts";

/** The longest message of a change, in UTF-16 units, as the protocol measures strings. */
export const MESSAGE_UNITS = 80;

/** Returns the start of a text that fits into a change's message; it never splits a character. */
export function shortMessage(text: string): string {
  return cut(text, MESSAGE_UNITS);
}

/**
 * Returns the message of an edit that another client confirmed: the author's message, cut to fit, and the confirmer.
 */
export function confirmedMessage(message: string | undefined, confirmer: string): string {
  const by = shortMessage(`confirmed by ${confirmer}`);
  const room = MESSAGE_UNITS - by.length - " ()".length;
  return message === undefined || room < 1 ? by : `${cut(message, room)} (${by})`;
}

function cut(text: string, units: number): string {
  return text.slice(0, safeCut(text, units));
}
