import { RESERVED_NAMES } from "../../workspace/access/actor.ts";
import { skeleton } from "./look-alikes.ts";

/** Longest name of an author, in UTF-16 units; longer names are cut. */
const MOST_NAME_UNITS = 100;
/** Longest part of a client's name that is read, in UTF-16 units. */
const MOST_READ_UNITS = 1000;
/** More combining marks on one letter than any language uses; they would cover other lines. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
/**
 * Invisible characters, characters that change the direction of text, and control characters of terminals.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
const BLANK = /[\s\u2800]+/gu;

const RESERVED: ReadonlySet<string> = new Set([...RESERVED_NAMES].map(skeleton));

/** The kind of a client, which marks a name like one of the daemon's own. */
type ClientKind = "agent" | "mcp" | "loro" | "person";

/**
 * Returns the author's name for a client's edits: NFKC, on one line, of visible characters. A name like one
 * of the daemon's own gets the kind of client behind it, as `spliced (mcp)`. An empty name becomes the kind
 * of client. A safe name stays as it is.
 */
export function safeName(given: string, kind: ClientKind): string {
  const seen = given
    .slice(0, MOST_READ_UNITS)
    .toWellFormed()
    .normalize("NFKC")
    .replace(BLANK, " ")
    .replace(INVISIBLE, "")
    .replace(PILED_MARKS, "$1")
    .normalize("NFKC")
    .replace(BLANK, " ");
  const name = cut(seen.trim(), MOST_NAME_UNITS);
  if (name === "") return kind;
  const behind = ` (${kind})`;
  return RESERVED.has(skeleton(name)) ? cut(name, MOST_NAME_UNITS - behind.length) + behind : name;
}

function cut(name: string, units: number): string {
  return name
    .slice(0, units)
    .replace(/[\ud800-\udbff]$/, "")
    .trim();
}
