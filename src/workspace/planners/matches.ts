import { MOST_LISTED, MOST_MATCHES } from "../../text/occurrence.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";

/** One match was asked for and several are there, at these code points, which may not be all. */
export function ambiguousMatch(at: readonly number[], text: Text): Refusal {
  const lines = at.slice(0, MOST_LISTED).map((from) => text.lineAt(from));
  const many = at.length > MOST_LISTED ? `more than ${MOST_LISTED} times` : times(at.length);
  return new Refusal("AMBIGUOUS_MATCH", `the text occurs ${many}, at lines ${lines.join(", ")}`, {
    suggestion:
      'Give more of the surrounding text in `old`, or say which with occurrence: "first", "all" or a number.',
    details: { lines },
  });
}

/** A match was asked for by its number, and there are fewer. */
export function tooFewMatches(matches: number, number: number): Refusal {
  return new Refusal("NO_MATCH", `there is no match number ${number}; the text occurs ${times(matches)}`, {
    details: { matches },
  });
}

export function tooManyMatches(): Refusal {
  return new Refusal("TOO_LARGE", `the text occurs more than ${MOST_MATCHES} times`, {
    suggestion: "Give more of the surrounding text in `old`, or write the document whole.",
    details: { limit: MOST_MATCHES },
  });
}

export function tooMuchOutput(limit: number): Refusal {
  return new Refusal("TOO_LARGE", `the new text alone would have more than ${limit} bytes`, {
    suggestion: "Replace fewer matches, or by a shorter text.",
    details: { limit },
  });
}

function times(n: number): string {
  return n === 1 ? "once" : `${n} times`;
}
