import type { RE2JS } from "re2js";
import { lazily } from "../../lazily.ts";
import { diff } from "../../text/diff.ts";
import { adoptEol } from "../../text/lines.ts";
import { minimal } from "../../text/minimal.ts";
import { countChars } from "../../text/positions.ts";
import type { Text } from "../../text/text.ts";
import { type Outcome, Refusal } from "../refusal.ts";
import { nearestLine } from "./nearest.ts";
import type { Base, Planner } from "./plan.ts";

const re2 = lazily<typeof import("re2js")>("re2js");

/** Which of several matches is meant; a number counts from 1. */
export type Occurrence = "unique" | "first" | "all" | number;

/** A place where `old` matched, in code points, and what goes there. */
interface Match {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Most places that an ambiguity lists. */
const SHOWN = 10;
/** A regex is run over the whole text at once; past this many bytes it would hold up everybody else (I14). */
const REGEX_BYTES = 4 << 20;

/** `edit.replace`: literal text by text. Only the characters that differ are touched. */
export function planReplace(old: string, updated: string, occurrence: Occurrence): Planner {
  return (base) => {
    const found = literalMatches(
      base,
      old,
      updated,
      occurrence === "unique" ? SHOWN + 1 : Number.POSITIVE_INFINITY,
    );
    if (found.matches.length === 0) return noMatch(base.text, old, updated);
    const chosen = choose(found.matches, occurrence, base.text);
    if (chosen instanceof Refusal) return chosen;
    const changes = diff(found.old, found.updated);
    return {
      splices: chosen.flatMap(({ from }) =>
        changes.map((s) => ({ ...s, from: s.from + from, to: s.to + from })),
      ),
    };
  };
}

/** `edit.replace` with `regex`: RE2 syntax, run in linear time; `$1`, `$<name>`, `$&`, `$$` in the new text. */
export function planReplaceRegex(pattern: string, updated: string, occurrence: Occurrence): Planner {
  return (base) => {
    if (base.text.bytes > REGEX_BYTES)
      return new Refusal(
        "TOO_LARGE",
        `a regex works on documents up to ${REGEX_BYTES} bytes; this has ${base.text.bytes}`,
        {
          suggestion: "Replace literal text, or send a patch.",
        },
      );
    const matches = regexMatches(base, pattern, updated);
    if (matches instanceof Refusal) return matches;
    if (matches.length === 0)
      return new Refusal(
        "NO_MATCH",
        `the regex ${JSON.stringify(pattern)} matches nothing in this document`,
        {
          suggestion: "Read the document again; ^ and $ match at lines, . does not match a line break.",
        },
      );
    const chosen = choose(matches, occurrence, base.text);
    if (chosen instanceof Refusal) return chosen;
    const splices = chosen.filter((m) => m.from < m.to || m.insert !== "");
    return { splices: splices.flatMap((m) => minimal(base.text, m)) };
  };
}

function literalMatches(base: Base, old: string, updated: string, most: number) {
  // A caller that writes \n means the document's line break, whichever that is.
  for (const spelled of new Set([old, adoptEol(old, "crlf")])) {
    const insert = adoptEol(updated, spelled === old ? base.eol : "crlf");
    const size = countChars(spelled);
    const matches: Match[] = [];
    for (const from of base.text.matches(spelled)) {
      matches.push({ from, to: from + size, insert });
      if (matches.length >= most) break;
    }
    if (matches.length > 0) return { matches, old: spelled, updated: insert };
  }
  return { matches: [], old, updated };
}

function regexMatches({ text, eol }: Base, pattern: string, updated: string): Outcome<Match[]> {
  const source = text.toString();
  const { RE2JS, RE2JSSyntaxException } = re2();
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(pattern, RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return new Refusal("INVALID_ARGUMENT", `not a regex: ${error.message}`, {
      suggestion: "The syntax is RE2's: no look-around, no back-references.",
    });
  }
  const matcher = regex.matcher(source);
  const matches: Match[] = [];
  while (matcher.find()) {
    const from = text.convert(matcher.start(), "utf-16", "utf-32");
    const to = text.convert(matcher.end(), "utf-16", "utf-32");
    if (from === undefined || to === undefined) continue;
    const insert = updated.replace(
      /\$(\$|&|\d{1,2}|<(\w+)>)/g,
      (_all, what: string, name: string | undefined) => {
        if (what === "$") return "$";
        if (what === "&") return matcher.group() ?? "";
        if (name !== undefined) return matcher.group(name) ?? "";
        return Number(what) <= matcher.groupCount() ? (matcher.group(Number(what)) ?? "") : "";
      },
    );
    matches.push({ from, to, insert: adoptEol(insert, eol) });
  }
  return matches;
}

function choose(matches: readonly Match[], occurrence: Occurrence, text: Text): Outcome<readonly Match[]> {
  if (occurrence === "all") return matches;
  if (occurrence === "first") return matches.slice(0, 1);
  if (typeof occurrence === "number") {
    const match = matches[occurrence - 1];
    if (match !== undefined) return [match];
    return new Refusal(
      "NO_MATCH",
      `there is no match number ${occurrence}; the text occurs ${times(matches.length)}`,
      {
        details: { matches: matches.length },
      },
    );
  }
  if (matches.length === 1) return matches;
  const lines = matches.slice(0, SHOWN).map((m) => text.lineAt(m.from));
  const many = matches.length > SHOWN ? `more than ${SHOWN} times` : times(matches.length);
  return new Refusal("AMBIGUOUS_MATCH", `the text occurs ${many}, at lines ${lines.join(", ")}`, {
    suggestion:
      'Give more of the surrounding text in `old`, or say which with occurrence: "first", "all" or a number.',
    details: { lines },
  });
}

/** A new text this short is somewhere in most documents, and tells nothing. */
const LEAST_TELLING = 3;

function noMatch(text: Text, old: string, updated: string): Refusal {
  const nearest = nearestLine(text, old);
  const where =
    nearest === undefined ? "" : `; the nearest is line ${nearest.line}: ${JSON.stringify(nearest.text)}`;
  const lines: (readonly [first: number, last: number])[] = [];
  if (updated.trim().length >= LEAST_TELLING)
    for (const from of text.matches(updated)) {
      lines.push([text.lineAt(from), text.lineAt(from + countChars(updated))]);
      if (lines.length === SHOWN) break;
    }
  // Where something else is nearer to the old text, the new one may as well have been there before.
  const applied = lines.some(
    ([first, last]) => nearest === undefined || (first <= nearest.line && nearest.line <= last),
  );
  const elsewhere =
    applied || lines[0] === undefined ? "" : `; the new text is at line ${lines[0][0]} already`;
  return new Refusal(
    "NO_MATCH",
    applied
      ? "the old text is not there, but the new text is: it seems to be applied already"
      : `the old text is not there${where}${elsewhere}`,
    {
      suggestion: applied
        ? "Read the document to see whether anything is left to do."
        : "Copy `old` exactly from the document as it is now, white space included; read it again if in doubt.",
      details: { alreadyApplied: applied, ...(nearest && { nearest }) },
    },
  );
}

function times(n: number): string {
  return n === 1 ? "once" : `${n} times`;
}
