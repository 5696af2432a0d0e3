import { MOST_LISTED, MOST_MATCHES } from "../../text/find/occurrence.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";

/** Returns the refusal for a text that occurs several times, at these code points, perhaps at more. */
export function ambiguousMatch(at: readonly number[], text: Text): Refusal {
  const lines = at.slice(0, MOST_LISTED).map((from) => text.lineAt(from));
  const many = at.length > MOST_LISTED ? `more than ${MOST_LISTED} times` : times(at.length);
  return new Refusal("AMBIGUOUS_MATCH", `the text occurs ${many}, at lines ${lines.join(", ")}`, {
    suggestion:
      'Include more of the surrounding text in `old`, or send occurrence: "first", "all" or a number.',
    details: { lines },
  });
}

/** Returns the refusal for the number of a match that does not exist. */
export function tooFewMatches(matches: number, number: number): Refusal {
  return new Refusal("NO_MATCH", `there is no match number ${number}; the text occurs ${times(matches)}`, {
    suggestion: `Send ${matches === 1 ? "1" : `a number from 1 to ${matches}`}, or another text in \`old\`.`,
    details: { matches },
  });
}

/** Returns the refusal for a text that occurs too often. */
export function tooManyMatches(): Refusal {
  return new Refusal("TOO_LARGE", `the text occurs more than ${MOST_MATCHES} times`, {
    suggestion: "Include more of the surrounding text in `old`, or write the whole document with edit.write.",
    details: { limit: MOST_MATCHES },
  });
}

/** Returns the refusal for a replacement whose new text exceeds the limit in bytes. */
export function tooMuchOutput(limit: number): Refusal {
  return new Refusal("TOO_LARGE", `the new text alone would have more than ${limit} bytes`, {
    suggestion: "Replace fewer matches, or send a shorter text.",
    details: { limit },
  });
}

function times(n: number): string {
  return n === 1 ? "once" : `${n} times`;
}
