import { diff } from "./diff.ts";
import type { Splice } from "./splice.ts";
import type { Text } from "./text.ts";

/** What a splice of a text really changes there: nothing of what it takes out and puts back. */
export function minimal(text: Text, { from: start, to: end, insert }: Splice): Splice[] {
  return diff(text.slice(start, end), insert).map(({ from, to, insert }) => ({
    from: start + from,
    to: start + to,
    insert,
  }));
}
