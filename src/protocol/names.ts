import { RESERVED_NAMES } from "../workspace/access/actor.ts";
import { skeleton } from "./look-alikes.ts";

/** The longest name that is shown with edits, in UTF-16 units; what is longer is cut. */
const MOST_SHOWN = 100;
/** So many UTF-16 units of what a client gives are looked at. */
const MOST_UNITS = 1000;
/** More marks on one letter than any language puts there reach into other lines. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
/** Characters that nobody sees, that turn the direction of text, or that a terminal obeys. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
const BLANK = /[\s\u2800]+/gu;

const RESERVED: ReadonlySet<string> = new Set([...RESERVED_NAMES].map(skeleton));

/** Where a client came in, which sets its name apart from one of the daemon's own. */
export type Door = "agent" | "mcp" | "loro" | "person";

/**
 * The name that a client's edits are shown under, whatever it calls itself: in NFKC, on one line, of characters that
 * are seen. A name that looks like one of the daemon's own has the door behind it, as `spliced (mcp)`; one of which
 * nothing is left is the door's. A safe name stays as it is.
 */
export function safeName(given: string, door: Door): string {
  const seen = given
    .slice(0, MOST_UNITS)
    .toWellFormed()
    .normalize("NFKC")
    .replace(BLANK, " ")
    .replace(UNSEEN, "")
    .replace(PILED_MARKS, "$1")
    .normalize("NFKC")
    .replace(BLANK, " ");
  const name = cut(seen.trim(), MOST_SHOWN);
  if (name === "") return door;
  const behind = ` (${door})`;
  return RESERVED.has(skeleton(name)) ? cut(name, MOST_SHOWN - behind.length) + behind : name;
}

function cut(name: string, units: number): string {
  return name
    .slice(0, units)
    .replace(/[\ud800-\udbff]$/, "")
    .trim();
}
