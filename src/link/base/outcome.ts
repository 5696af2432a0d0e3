/**
 * An expected failure, returned and never thrown: a word for programs, and a message for a person with cause and
 * remedy.
 */
export interface Refused<Reason extends string> {
  readonly refused: Reason;
  readonly message: string;
}

export function isRefused<Reason extends string>(
  outcome: object | number | Refused<Reason>,
): outcome is Refused<Reason> {
  return typeof outcome === "object" && "refused" in outcome;
}

/** Returns a function that refuses for one of the reasons of a table, with its message. */
export function refusals<Reason extends string>(
  messages: Readonly<Record<Reason, string>>,
): (reason: Reason) => Refused<Reason> {
  return (refused) => ({ refused, message: messages[refused] });
}

/** Returns the value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
