import type { Unit } from "../../text/positions.ts";
import type { Text } from "../../text/text.ts";
import { type Outcome, Refusal } from "./refusal.ts";

/** A half-open range of characters. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the refusal for a range of lines (1-based, inclusive) that is inverted or begins past the end. */
export function linesRefusal([from, to]: readonly [number, number], lines: number): Refusal | undefined {
  const details = { lines };
  if (from > to)
    return new Refusal("INVALID_POSITION", `lines ${from}-${to}: the first line is after the last`, {
      suggestion: `Send the smaller number first: [${to}, ${from}].`,
      details,
    });
  if (from <= lines) return undefined;
  return new Refusal("INVALID_POSITION", `lines ${from}-${to} are past the end: ${countOf(lines, "line")}`, {
    suggestion: `The last line is ${lines}. Send lines up to it, or leave the lines out for all.`,
    details,
  });
}

/**
 * Returns a range of a text in code points. Refuses one that is inverted, ends past the end, or begins or ends inside a
 * character; `what` begins the message.
 */
export function rangeIn(text: Text, range: Range, unit: Unit, what = ""): Outcome<Range> {
  const from = text.convert(range.from, unit, "utf-32");
  const to = text.convert(range.to, unit, "utf-32");
  if (from !== undefined && to !== undefined && from <= to) return { from, to };
  const size = text.convert(text.chars, "utf-32", unit)!;
  return rangeRefusal(`${what}${range.from}..${range.to}`, range, size, text.chars);
}

function rangeRefusal(said: string, { from, to }: Range, size: number, chars: number): Refusal {
  const details = { chars };
  if (from > to)
    return new Refusal("INVALID_POSITION", `${said}: the range ends before its start`, {
      suggestion: `Send the smaller number first: [${to}, ${from}].`,
      details,
    });
  if (to > size)
    return new Refusal("INVALID_POSITION", `${said} ends past the end: ${countOf(size, "character")}`, {
      suggestion: `Send positions from 0 to ${size}.`,
      details,
    });
  return new Refusal("INVALID_POSITION", `${said} begins or ends inside a character`, {
    suggestion: "Positions count in the unit of hello's positionEncoding. Send one beside it.",
    details,
  });
}

function countOf(count: number, what: string): string {
  return `the document has ${count} ${what}${count === 1 ? "" : "s"}`;
}
