import type { Occurrence } from "../../text/occurrence.ts";
import {
  MAX_PATTERN,
  MOST_INSTRUCTIONS,
  MOST_REFERENCES,
  MOST_STEPS,
  type RegexFailure,
  replaceByRegex,
  runsInline,
} from "../../text/regex.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";
import { ambiguousMatch, tooFewMatches, tooManyMatches, tooMuchOutput } from "./matches.ts";
import { type Base, type Planner, workerPlanner } from "./plan.ts";

/** A regex is run over the whole text at once; bytes. */
const REGEX_BYTES = 4 << 20;

/** `edit.replace` with `regex`: RE2 syntax, run in linear time; `$1`, `$<name>`, `$&`, `$$` in the new text. */
export function planReplaceRegex(pattern: string, updated: string, occurrence: Occurrence): Planner {
  const cost = (text: Text) => (runsInline(pattern, text.utf16) ? 0 : Number.POSITIVE_INFINITY);
  return workerPlanner({ planner: "regex", args: [pattern, updated, occurrence], cost }, (base) => {
    const { text, eol, maxBytes } = base;
    if (text.bytes > REGEX_BYTES)
      return new Refusal(
        "TOO_LARGE",
        `a regex works on documents up to ${REGEX_BYTES} bytes; this has ${text.bytes}`,
        { suggestion: "Replace literal text, or send a patch." },
      );
    // New text has at least as many bytes as UTF-16 units.
    const asked = { pattern, updated, occurrence, eol, maxOutput: maxBytes, maxSteps: MOST_STEPS };
    const answer = replaceByRegex({ ...asked, text: text.toString() });
    return "splices" in answer ? answer : refusalOf(answer, pattern, occurrence, base);
  });
}

function refusalOf(
  failure: RegexFailure,
  pattern: string,
  occurrence: Occurrence,
  { text, maxBytes }: Base,
): Refusal {
  switch (failure.failed) {
    case "syntax":
      return new Refusal("INVALID_ARGUMENT", `not a regex: ${failure.reason}`, {
        suggestion: "The syntax is RE2's: no look-around, no back-references.",
      });
    case "no group":
      return new Refusal(
        "INVALID_ARGUMENT",
        `\`new\` has ${failure.reason}, and the regex no group of that name`,
        { suggestion: "Name the group (?P<name>…) in the regex, or write $$ for a dollar sign." },
      );
    case "references":
      return new Refusal("TOO_LARGE", `\`new\` refers to groups more than ${MOST_REFERENCES} times`, {
        suggestion: "Replace in several edits.",
        details: { limit: MOST_REFERENCES },
      });
    case "pattern too long":
      return new Refusal(
        "TOO_LARGE",
        `the regex has ${pattern.length} characters; the limit is ${MAX_PATTERN}`,
        { suggestion: "Use a shorter regex, or several edits.", details: { limit: MAX_PATTERN } },
      );
    case "program too large":
      return new Refusal(
        "TOO_LARGE",
        `the regex compiles to more than ${MOST_INSTRUCTIONS} instructions, each count multiplying what it counts`,
        {
          suggestion: "Use fewer alternatives and smaller counts, as a+ for a{1000}, or several edits.",
          details: { limit: MOST_INSTRUCTIONS },
        },
      );
    case "work":
      return new Refusal("TOO_LARGE", "this regex would take too many steps on this document", {
        suggestion: "Use a smaller regex, or one that fails sooner; replace literal text, or send a patch.",
        details: { limit: MOST_STEPS, chars: text.chars },
      });
    case "output":
      return tooMuchOutput(maxBytes);
    case "matches":
      return tooManyMatches();
    case "fewer":
      return tooFewMatches(failure.matches, Number(occurrence));
    case "several":
      return ambiguousMatch(failure.at, text);
    case "none":
      return new Refusal("NO_MATCH", `the regex ${shown(pattern)} matches nothing in this document`, {
        suggestion: "Read the document again; ^ and $ match at lines, . does not match a line break.",
      });
  }
}

/** Most characters of a pattern that a message shows. */
const SHOWN = 200;

function shown(pattern: string): string {
  return JSON.stringify(pattern.length <= SHOWN ? pattern : `${pattern.slice(0, SHOWN)}…`);
}
