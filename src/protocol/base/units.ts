import type { Overlap } from "../../text/delta.ts";
import { measure, type Unit } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";
import type { Text } from "../../text/text.ts";
import { type Pause, pauses } from "../../work/pause.ts";

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

/** Returns where each line of a text starts, in one pass: a text may have millions of lines (I14). */
export async function lineStartsOutwards(text: Text, unit: Unit, pause: Pause = pauses()): Promise<number[]> {
  const starts = [0];
  let at = 0;
  for (const piece of text.pieces()) {
    const rest = pause();
    if (rest !== undefined) await rest;
    const isPlain = SIZES[unit](piece) === piece.length;
    const size = isPlain ? SIZES["utf-16"] : SIZES[unit];
    let from = 0;
    for (let end = piece.indexOf("\n") + 1; end > 0; end = piece.indexOf("\n", from) + 1) {
      at += size(piece.slice(from, end));
      starts.push(at);
      from = end;
    }
    at += size(piece.slice(from));
  }
  if (text.endsWithBreak) starts.pop(); // a final newline starts no further line
  return starts;
}

const SIZES: Readonly<Record<Unit, (part: string) => number>> = {
  "utf-32": (part) => measure(part).chars,
  "utf-16": (part) => part.length,
  "utf-8": (part) => Buffer.byteLength(part),
};

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
