import { diff } from "../../text/diff.ts";
import { adoptEol } from "../../text/lines.ts";
import {
  MOST_LISTED,
  MOST_MATCHES,
  MOST_SPLICES,
  neededFor,
  type Occurrence,
} from "../../text/occurrence.ts";
import { countChars, utf16Index } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";
import { ambiguousMatch, tooFewMatches, tooManyMatches, tooMuchOutput } from "./matches.ts";
import { nearestLine } from "./nearest.ts";
import { type Base, type Planner, workerPlanner } from "./plan.ts";

/** Where a text stands, in code points, and what goes there, both as the document spells line breaks. */
interface Found {
  readonly at: readonly number[];
  readonly old: string;
  readonly updated: string;
}

/** `edit.replace`: literal text by text. Only the characters that differ are touched. */
export function planReplace(old: string, updated: string, occurrence: Occurrence): Planner {
  // One place is found in a pass over the text; of many, each is a splice.
  const cost = (text: Text) => (occurrence === "all" || typeof occurrence === "number" ? text.utf16 : 0);
  return workerPlanner({ planner: "replace", args: [old, updated, occurrence], cost }, (base) => {
    const found = occurrences(base, old, updated, neededFor(occurrence));
    const { at } = found;
    if (at.length === 0) return noMatch(base.text, old, updated);
    if (at.length > MOST_MATCHES) return tooManyMatches();
    if (occurrence === "unique" && at.length > 1) return ambiguousMatch(at, base.text);
    if (typeof occurrence === "number" && at.length < occurrence) return tooFewMatches(at.length, occurrence);
    const chosen = occurrence === "all" ? at : at.slice(-1);
    if (chosen.length * found.updated.length > base.maxBytes) return tooMuchOutput(base.maxBytes);
    return { splices: splicesAt(chosen, found, base.text) };
  });
}

/** The first places of a text, up to as many as are needed. */
function occurrences(base: Base, old: string, updated: string, needed: number): Found {
  // A caller that writes \n means the document's line break, whichever that is.
  for (const spelled of new Set([old, adoptEol(old, "crlf")])) {
    const at: number[] = [];
    for (const from of base.text.matches(spelled)) if (at.push(from) >= needed) break;
    const insert = adoptEol(updated, spelled === old ? base.eol : "crlf");
    if (at.length > 0) return { at, old: spelled, updated: insert };
  }
  return { at: [], old, updated };
}

function splicesAt(places: readonly number[], { old, updated }: Found, text: Text): Splice[] {
  const changes = diff(old, updated);
  if (places.length * changes.length <= MOST_SPLICES)
    return places.flatMap((at) => changes.map((s) => ({ ...s, from: s.from + at, to: s.to + at })));
  // Neighbours become one, with the text between them.
  const size = Math.ceil(places.length / MOST_SPLICES);
  const chars = countChars(old);
  const splices: Splice[] = [];
  for (let i = 0; i < places.length; i += size) {
    const group = places.slice(i, i + size);
    const from = group[0]!;
    const to = group.at(-1)! + chars;
    const part = text.slice(from, to);
    let insert = "";
    let at = from; // as far as the part has been copied, and in UTF-16 units of it
    let unit = 0;
    for (const place of group) {
      const start = unit + utf16Index(part.slice(unit), place - at);
      insert += part.slice(unit, start) + updated;
      at = place + chars;
      unit = start + old.length;
    }
    splices.push({ from, to, insert });
  }
  return splices;
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
      if (lines.length === MOST_LISTED) break;
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
