import type { Matcher, RE2JS } from "re2js";
import { lazily } from "../../lazily.ts";
import { adoptEol, type Eol } from "../lines.ts";
import { countChars } from "../positions.ts";
import type { Splice } from "../splice.ts";
import { CountedText, Exhausted } from "./counted-text.ts";
import { MOST_MATCHES, neededFor, type Occurrence } from "./occurrence.ts";
import { regexSize } from "./regex-size.ts";
import { replacedSplices } from "./replaced.ts";
import { readTemplate, type TemplatePart } from "./template.ts";

const re2 = lazily<typeof import("re2js")>("re2js");

/** The longest pattern, in UTF-16 units. */
export const MAX_PATTERN = 10_000;
/** The most instructions that a pattern may compile to; `a{1000}` has about a thousand. */
export const MOST_INSTRUCTIONS = 2_000;
/** The most references to groups in a replacement. */
export const MOST_REFERENCES = 100;
/**
 * The most steps of one search. A step is one instruction tried at one read of a character. At worst they take a few
 * seconds.
 */
export const MOST_STEPS = 1 << 29;
/** The number of steps that take a few milliseconds at worst. */
const INLINE_STEPS = 1 << 20;

/** The number of times that a search usually reads a character. */
const READS = 4;
/** The steps that one read costs by itself, and the steps that compiling one instruction costs. */
const STEPS_A_READ = 10;
const STEPS_TO_COMPILE = 5_000;

/** A search and its replacement. It is plain data, so that another thread can run it. */
export interface RegexReplacement {
  readonly text: string;
  readonly pattern: string;
  /** The replacement, with `$1`, `$<name>`, `$&` and `$$`. */
  readonly updated: string;
  readonly occurrence: Occurrence;
  readonly eol: Eol;
  /** The most UTF-16 units of new text. */
  readonly maxOutput: number;
  /** The most steps: `MOST_STEPS`, or fewer. */
  readonly maxSteps: number;
}

/** The reason why a pattern cannot be searched for at all. */
export type PatternFailure =
  | { readonly failed: "syntax"; readonly reason: string }
  | { readonly failed: "pattern too long" | "program too large" };

export type RegexFailure =
  | PatternFailure
  | { readonly failed: "no group"; readonly reason: string }
  | { readonly failed: "work" | "references" | "output" | "matches" }
  | { readonly failed: "none" }
  | { readonly failed: "fewer"; readonly matches: number }
  /** The first places, in code points. More than `MOST_LISTED` places mean that there may be still others. */
  | { readonly failed: "several"; readonly at: readonly number[] };

/** The result of a search. Splices are in code points of the text. */
type RegexResult = { readonly splices: readonly Splice[] } | RegexFailure;

/**
 * Returns the approximate steps of a search in a text of `units` UTF-16 units, including the compilation of its
 * pattern.
 */
export function regexCost(pattern: string, units: number): number {
  const { instructions } = regexSize(pattern);
  return instructions * STEPS_TO_COMPILE + (instructions + STEPS_A_READ) * READS * units;
}

/**
 * Returns true when a search takes a few milliseconds at most, whatever the text contains. It reads only the pattern.
 */
export function runsInline(pattern: string, units: number): boolean {
  return pattern.length <= MAX_PATTERN && regexCost(pattern, units) <= INLINE_STEPS;
}

/** Compiles an RE2 regex within the limits of its size. */
function compiled(pattern: string, flags: (re: typeof RE2JS) => number): RE2JS | PatternFailure {
  if (pattern.length > MAX_PATTERN) return { failed: "pattern too long" };
  if (regexSize(pattern).instructions > MOST_INSTRUCTIONS) return { failed: "program too large" };
  const { RE2JS, RE2JSSyntaxException } = re2();
  try {
    return RE2JS.compile(pattern, flags(RE2JS));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { failed: "syntax", reason: reasonOf(error.message, pattern) };
  }
}

/** Returns the engine's reason without its own words around it: the kind of error, and the flags before the pattern. */
function reasonOf(message: string, pattern: string): string {
  return message.replace("error parsing regexp: ", "").replace(`\`(?m)${pattern}\``, () => `\`${pattern}\``);
}

/** Finds places in one text: returns the first at or after an index, or -1. @throws Exhausted */
export type Finder = (from: number) => number;

/**
 * Returns a function that makes a finder for each text, or why the pattern cannot be used. A finder ends with
 * `Exhausted` after `MOST_STEPS` steps in its text.
 */
export function regexFinder(
  pattern: string,
  ignoreCase: boolean,
): ((text: string) => Finder) | PatternFailure {
  const regex = compiled(pattern, (re) => re.MULTILINE | (ignoreCase ? re.CASE_INSENSITIVE : 0));
  if ("failed" in regex) return regex;
  const { instructions } = regexSize(pattern);
  return (text) => {
    if (regexCost(pattern, text.length) > MOST_STEPS) throw new Exhausted();
    const counted = new CountedText(text, MOST_STEPS / (instructions + STEPS_A_READ));
    const matcher = regex.matcher(counted as unknown as string);
    return (from) => (matcher.find(from) ? matcher.start() : -1);
  };
}

/**
 * Replaces the matches of an RE2 regex; `^` and `$` match at lines. The search counts steps, matches and new text, and
 * ends at their limits. Neither pattern nor text nor replacement can therefore make it long (I14).
 */
export function replaceByRegex(replacement: RegexReplacement): RegexResult {
  const { pattern, text, updated, maxSteps } = replacement;
  const regex = compiled(pattern, (re) => re.MULTILINE);
  if ("failed" in regex) return regex;
  const { instructions, groups } = regexSize(pattern);
  if (regexCost(pattern, text.length) > maxSteps + MOST_INSTRUCTIONS * STEPS_TO_COMPILE)
    return { failed: "work" };
  const template = readTemplate(updated);
  const references = template.filter((part) => typeof part === "object" && part.group !== 0).length;
  if (references > MOST_REFERENCES) return { failed: "references" };
  // Each thread of the search stores every group.
  const weight = instructions * (references > 0 ? 1 + groups / 4 : 1) + STEPS_A_READ;
  const counted = new CountedText(text, maxSteps / weight);
  try {
    return search(regex, counted, template, replacement);
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
): RegexResult {
  // The engine accepts string objects, too, but its types do not declare that.
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
    // Where a match must be unique, only the places of further matches matter.
    const placeOnly = occurrence === "unique" && count > 1;
    const text = placeOnly ? "" : filled(template, matcher, maxOutput - output);
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

/** Returns true for any number, because a number past the last group matches nothing, and for the names that exist. */
function isGroup(matcher: Matcher, group: number | string): boolean {
  return typeof group === "number" || Object.hasOwn(matcher.namedGroups, group);
}

/** Returns the new text of a match; undefined once it exceeds `most` UTF-16 units. */
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
