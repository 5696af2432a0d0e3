import type { Matcher, RE2JS } from "re2js";
import { lazily } from "../lazily.ts";
import { CountedText, Exhausted } from "./counted-text.ts";
import { adoptEol, type Eol } from "./lines.ts";
import { MOST_MATCHES, neededFor, type Occurrence } from "./occurrence.ts";
import { countChars } from "./positions.ts";
import { regexSize } from "./regex-size.ts";
import { replacedSplices } from "./replaced.ts";
import type { Splice } from "./splice.ts";
import { readTemplate, type TemplatePart } from "./template.ts";

const re2 = lazily<typeof import("re2js")>("re2js");

/** The longest pattern, in UTF-16 units. */
export const MAX_PATTERN = 10_000;
/** Most instructions that a pattern may compile to; `a{1000}` has about a thousand. */
export const MOST_INSTRUCTIONS = 2_000;
/** Most references to groups in a replacement. */
export const MOST_REFERENCES = 100;
/** Most steps of one search: an instruction tried at one look at a character. A few seconds at worst. */
export const MOST_STEPS = 1 << 29;
/** Steps that take a few milliseconds at worst. */
const INLINE_STEPS = 1 << 20;

/** Looks at a character that a search usually takes. */
const LOOKS = 4;
/** What a look costs by itself, and compiling one instruction, in steps. */
const STEPS_A_LOOK = 10;
const STEPS_TO_COMPILE = 5_000;

/** A search and what to put in place of what it finds. Plain data, so that another thread can do it. */
export interface RegexReplacement {
  readonly text: string;
  readonly pattern: string;
  /** With `$1`, `$<name>`, `$&` and `$$`. */
  readonly updated: string;
  readonly occurrence: Occurrence;
  readonly eol: Eol;
  /** Most UTF-16 units of new text. */
  readonly maxOutput: number;
  /** Most steps: `MOST_STEPS`, or fewer. */
  readonly maxSteps: number;
}

export type RegexFailure =
  | { readonly failed: "syntax" | "no group"; readonly reason: string }
  | {
      readonly failed:
        | "pattern too long"
        | "program too large"
        | "work"
        | "references"
        | "output"
        | "matches";
    }
  | { readonly failed: "none" }
  | { readonly failed: "fewer"; readonly matches: number }
  /** The first places, in code points; more than `MOST_LISTED` of them where there may be still others. */
  | { readonly failed: "several"; readonly at: readonly number[] };

/** Splices are in code points of the text. */
type RegexAnswer = { readonly splices: readonly Splice[] } | RegexFailure;

/** Steps that a search in a text of so many UTF-16 units takes, about, with compiling its pattern. */
export function regexCost(pattern: string, units: number): number {
  const { instructions } = regexSize(pattern);
  return instructions * STEPS_TO_COMPILE + (instructions + STEPS_A_LOOK) * LOOKS * units;
}

/** True when a search is over in a few milliseconds, however it goes on; costs a look at the pattern. */
export function runsInline(pattern: string, units: number): boolean {
  return pattern.length <= MAX_PATTERN && regexCost(pattern, units) <= INLINE_STEPS;
}

/**
 * Replaces what an RE2 regex matches; `^` and `$` match at lines. Steps, matches and new text are counted while the
 * search goes on and end it at their limits, so that neither pattern nor text nor replacement makes it long (I14).
 */
export function replaceByRegex(asked: RegexReplacement): RegexAnswer {
  const { pattern, text, updated, maxSteps } = asked;
  if (pattern.length > MAX_PATTERN) return { failed: "pattern too long" };
  const { instructions, groups } = regexSize(pattern);
  if (instructions > MOST_INSTRUCTIONS) return { failed: "program too large" };
  if (regexCost(pattern, text.length) > maxSteps + MOST_INSTRUCTIONS * STEPS_TO_COMPILE)
    return { failed: "work" };
  const template = readTemplate(updated);
  const references = template.filter((part) => typeof part === "object" && part.group !== 0).length;
  if (references > MOST_REFERENCES) return { failed: "references" };
  const { RE2JS, RE2JSSyntaxException } = re2();
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(pattern, RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { failed: "syntax", reason: error.message };
  }
  // A group takes a place in each thread of the search.
  const weight = instructions * (references > 0 ? 1 + groups / 4 : 1) + STEPS_A_LOOK;
  const counted = new CountedText(text, maxSteps / weight);
  try {
    return search(regex, counted, template, asked);
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return { failed: "work" };
  }
}

function search(
  regex: RE2JS,
  counted: CountedText,
  template: readonly TemplatePart[],
  { text, occurrence, eol, maxOutput }: RegexReplacement,
): RegexAnswer {
  // The engine takes string objects, too; its types do not say so.
  const matcher = regex.matcher(counted as unknown as string);
  const unknown = template.find((part) => typeof part === "object" && !isGroup(matcher, part.group));
  if (typeof unknown === "object") return { failed: "no group", reason: `$<${unknown.group}>` };
  const needed = neededFor(occurrence);
  const found: Splice[] = [];
  let count = 0;
  let output = 0;
  while (count < needed && matcher.find()) {
    count++;
    if (typeof occurrence === "number" && count < occurrence) continue;
    counted.spend(template.length);
    // Where one match has to be the only one, the others are only told of.
    const told = occurrence === "unique" && count > 1;
    const text = told ? "" : filled(template, matcher, maxOutput - output);
    const insert = text === undefined ? undefined : adoptEol(text, eol);
    output += insert?.length ?? 0;
    if (insert === undefined || output > maxOutput) return { failed: "output" };
    found.push({ from: matcher.start(), to: matcher.end(), insert });
  }
  if (count === 0) return { failed: "none" };
  if (count > MOST_MATCHES) return { failed: "matches" };
  if (found.length === 0) return { failed: "fewer", matches: count };
  if (occurrence === "unique" && count > 1)
    return { failed: "several", at: found.map(({ from }) => countChars(text.slice(0, from))) };
  return { splices: replacedSplices(text, found) };
}

/** A number past the last group is as a group that took no part; a name has to be one. */
function isGroup(matcher: Matcher, group: number | string): boolean {
  return typeof group === "number" || Object.hasOwn(matcher.namedGroups, group);
}

/** The new text of a match; undefined once it has more than `most` UTF-16 units. */
function filled(template: readonly TemplatePart[], matcher: Matcher, most: number): string | undefined {
  let text = "";
  for (const part of template) {
    if (typeof part === "string") text += part;
    else if (typeof part.group === "string" || part.group <= matcher.groupCount())
      text += matcher.group(part.group) ?? "";
    if (text.length > most) return undefined;
  }
  return text;
}
