import type { Overlap } from "../text/delta.ts";
import type { Unit } from "../text/positions.ts";
import type { Splice } from "../text/splice.ts";
import type { Text } from "../text/text.ts";

/** Conversion between a connection's unit of positions and code points, the unit inside the daemon. */

export function outwards(position: number, text: Text, unit: Unit): number {
  return unit === "utf-32" ? position : text.convert(position, "utf-32", unit)!;
}

export function splicesOutwards(splices: readonly Splice[], text: Text, unit: Unit): readonly Splice[] {
  if (unit === "utf-32") return splices;
  return splices.map((s) => ({
    from: outwards(s.from, text, unit),
    to: outwards(s.to, text, unit),
    insert: s.insert,
  }));
}

export function conflictsOutwards(conflicts: readonly Overlap[], base: Text, unit: Unit): readonly Overlap[] {
  return conflicts.map(({ ours, theirs }) => ({
    ours: splicesOutwards([ours], base, unit)[0]!,
    theirs: splicesOutwards([theirs], base, unit)[0]!,
  }));
}

/**
 * Converts a position in a text that may have changed since. A position past the end becomes the end, one
 * inside a character the start of that character.
 */
export function within(position: number, text: Text, unit: Unit): number {
  const size = unit === "utf-32" ? text.chars : unit === "utf-16" ? text.utf16 : text.bytes;
  for (let at = Math.min(position, size); ; at--) {
    const found = inwards(at, text, unit);
    if (found !== undefined) return found;
  }
}

/** Converts a position to code points; undefined when it is outside the text or inside a character. */
function inwards(position: number, text: Text, unit: Unit): number | undefined {
  return text.convert(position, unit, "utf-32");
}
