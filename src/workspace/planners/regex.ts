import type { Occurrence } from "../../text/find/occurrence.ts";
import {
  MAX_PATTERN,
  MOST_INSTRUCTIONS,
  MOST_REFERENCES,
  MOST_STEPS,
  type PatternFailure,
  type RegexFailure,
  replaceByRegex,
  runsInline,
} from "../../text/find/regex.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";
import { ambiguousMatch, tooFewMatches, tooManyMatches, tooMuchOutput } from "./matches.ts";
import { type Base, type Planner, workerPlanner } from "./plan.ts";

/** The largest document, in bytes, that a regex can edit. */
const REGEX_BYTES = 4 << 20;

/** Plans `edit.replace` with `regex`: RE2 syntax, linear time; the new text may use `$1`, `$<name>`, `$&`, `$$`. */
export function planReplaceRegex(pattern: string, updated: string, occurrence: Occurrence): Planner {
  const cost = (text: Text) => (runsInline(pattern, text.utf16) ? 0 : Number.POSITIVE_INFINITY);
  return workerPlanner({ planner: "regex", args: [pattern, updated, occurrence], cost }, (base) => {
    const { text, eol, maxBytes } = base;
    if (text.bytes > REGEX_BYTES)
      return new Refusal(
        "TOO_LARGE",
        `a regex can edit documents of up to ${REGEX_BYTES} bytes; this document has ${text.bytes}`,
        { suggestion: "Replace literal text, or send edit.patch." },
      );
    // A text never has more UTF-16 units than bytes, so maxBytes limits the output.
    const request = { pattern, updated, occurrence, eol, maxOutput: maxBytes, maxSteps: MOST_STEPS };
    const answer = replaceByRegex({ ...request, text: text.toString() });
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
    case "no group":
      return new Refusal(
        "INVALID_ARGUMENT",
        `\`new\` contains ${failure.reason}, but the regex has no such group`,
        { suggestion: "Name the group (?P<name>…) in the regex, or write $$ for a dollar sign." },
      );
    case "references":
      return new Refusal("TOO_LARGE", `\`new\` refers to groups more than ${MOST_REFERENCES} times`, {
        suggestion: "Split the replacement into several edits.",
        details: { limit: MOST_REFERENCES },
      });
    case "syntax":
    case "pattern too long":
    case "program too large":
      return patternRefusal(failure, pattern, "old");
    case "work":
      return new Refusal("TOO_LARGE", "this regex needs too many steps on this document", {
        suggestion: "Use a smaller regex, replace literal text, or send edit.patch.",
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
      return new Refusal("NO_MATCH", `the regex ${quoted(pattern)} matches nothing in this document`, {
        suggestion: "Read the document again. ^ and $ match at line breaks; . does not match a line break.",
      });
  }
}

/** Refuses a pattern that cannot be searched for. `name` is the parameter that has it. */
export function patternRefusal(failure: PatternFailure, pattern: string, name: string): Refusal {
  switch (failure.failed) {
    case "syntax":
      return new Refusal("INVALID_ARGUMENT", `\`${name}\` is no valid regex: ${failure.reason}`, {
        suggestion: "Use RE2 syntax, which has no look-around and no back-references.",
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
        `the regex compiles to more than ${MOST_INSTRUCTIONS} instructions; a repetition such as {1000} multiplies them`,
        {
          suggestion:
            "Use fewer alternatives and smaller repetitions, for example a+ for a{1000}, or send several edits.",
          details: { limit: MOST_INSTRUCTIONS },
        },
      );
  }
}

/** The most characters of a pattern that a message quotes. */
const MOST_QUOTED = 200;

function quoted(pattern: string): string {
  return JSON.stringify(pattern.length <= MOST_QUOTED ? pattern : `${pattern.slice(0, MOST_QUOTED)}…`);
}
