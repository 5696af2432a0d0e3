import { diff } from "../../text/diff/diff.ts";
import {
  MOST_LISTED,
  MOST_MATCHES,
  MOST_SPLICES,
  neededFor,
  type Occurrence,
} from "../../text/find/occurrence.ts";
import { adoptEol } from "../../text/lines.ts";
import { countChars, utf16Index } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";
import { ambiguousMatch, tooFewMatches, tooManyMatches, tooMuchOutput } from "./matches.ts";
import { nearestTo } from "./nearest.ts";
import { type Base, type Planner, workerPlanner } from "./plan.ts";

/** The occurrences of a text and its replacement, both with the line breaks of the document. */
interface Found {
  /** The starts of the occurrences, in code points. */
  readonly at: readonly number[];
  readonly old: string;
  readonly updated: string;
}

/** Plans `edit.replace`: replaces literal text. The splices contain only the characters that differ. */
export function planReplace(old: string, updated: string, occurrence: Occurrence): Planner {
  // One occurrence needs a single search; each of many becomes a splice.
  const cost = (text: Text) => (occurrence === "all" || typeof occurrence === "number" ? text.utf16 : 0);
  return workerPlanner({ planner: "replace", args: [old, updated, occurrence], cost }, (base) => {
    const found = occurrences(base, old, updated, neededFor(occurrence));
    const { at } = found;
    if (at.length === 0) return atBeginning(base, old, updated) ?? noMatch(base.text, old, updated);
    if (at.length > MOST_MATCHES) return tooManyMatches();
    if (occurrence === "unique" && at.length > 1) return ambiguousMatch(at, base.text);
    if (typeof occurrence === "number" && at.length < occurrence) return tooFewMatches(at.length, occurrence);
    const chosen = occurrence === "all" ? at : at.slice(-1);
    if (chosen.length * found.updated.length > base.maxBytes) return tooMuchOutput(base.maxBytes);
    return { splices: splicesAt(chosen, found, base.text) };
  });
}

/** The byte order mark, which a file may begin with; the text of a document does not contain it. */
const MARK = "\ufeff";

/** Plans the replacement of a text that was copied with the byte order mark of its file; undefined for any other. */
function atBeginning(base: Base, old: string, updated: string): { splices: Splice[] } | undefined {
  if (!old.startsWith(MARK) || old === MARK) return undefined;
  const bare = (text: string) => (text.startsWith(MARK) ? text.slice(MARK.length) : text);
  const found = occurrences(base, bare(old), bare(updated), 1);
  return found.at[0] === 0 ? { splices: splicesAt([0], found, base.text) } : undefined;
}

/** Returns the first `needed` occurrences of a text. */
function occurrences(base: Base, old: string, updated: string, needed: number): Found {
  // In `old`, a caller's \n may mean the CRLF of the document.
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
  // Too many splices: groups of neighbouring occurrences become one splice each, with the text between them.
  const size = Math.ceil(places.length / MOST_SPLICES);
  const chars = countChars(old);
  const splices: Splice[] = [];
  for (let i = 0; i < places.length; i += size) {
    const group = places.slice(i, i + size);
    const from = group[0]!;
    const to = group.at(-1)! + chars;
    const part = text.slice(from, to);
    let insert = "";
    let at = from; // the end of the copied text, in code points of the document
    let unit = 0; // the same end in UTF-16 units of `part`
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

/** Most documents contain a shorter new text by chance, so finding it proves nothing. */
const LEAST_NEW_TEXT = 3;

function noMatch(text: Text, old: string, updated: string): Refusal {
  const hint = nearestTo(text, old);
  const nearest = hint?.nearest;
  const places = placesOfNew(text, updated);
  // If another place is more similar to the old text, the new text may have been in the document before.
  const here = nearest?.differs?.line ?? nearest?.line;
  const applied = places.find(([first, last]) => here === undefined || (first <= here && here <= last));
  const details = { alreadyApplied: applied !== undefined, ...(nearest && { nearest }) };
  if (applied !== undefined)
    return new Refusal(
      "NO_MATCH",
      `line ${applied[0]} contains the new text and no line the old one; the edit seems to be applied already`,
      { suggestion: "Read the document to check whether anything remains to be done.", details },
    );
  const elsewhere = places[0] && `; another place, line ${places[0][0]}, contains the new text`;
  return new Refusal(
    "NO_MATCH",
    `the document does not contain the old text${hint ? `; ${hint.where}` : ""}${elsewhere ?? ""}`,
    { suggestion: "Read the document again and copy `old` exactly, including white space.", details },
  );
}

/** Returns the first and last lines of the first places of the new text; none of a text too short to prove anything. */
function placesOfNew(text: Text, updated: string): (readonly [first: number, last: number])[] {
  const places: (readonly [first: number, last: number])[] = [];
  if (updated.trim().length < LEAST_NEW_TEXT) return places;
  for (const from of text.matches(updated)) {
    places.push([text.lineAt(from), text.lineAt(from + countChars(updated) - 1)]);
    if (places.length === MOST_LISTED) break;
  }
  return places;
}
