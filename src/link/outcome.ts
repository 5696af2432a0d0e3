/** An expected failure, returned and never thrown. `message` says to a person what happened and what helps. */
export interface Refused<Reason extends string> {
  readonly ok: false;
  readonly reason: Reason;
  readonly message: string;
}

export type Outcome<Value, Reason extends string> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Reason>;

/** Returns a function that refuses for one of the reasons of a table, with its message. */
export function refusals<Reason extends string>(
  messages: Readonly<Record<Reason, string>>,
): (reason: Reason) => Refused<Reason> {
  return (reason) => ({ ok: false, reason, message: messages[reason] });
}

/** Returns the value that JSON text stands for; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
