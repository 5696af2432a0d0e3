import { Refusal } from "./refusal.ts";

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

/** Returns the refusal for a range of `size` characters that is inverted, ends past the end, or begins or ends inside a character. */
export function rangeRefusal([from, to]: readonly [number, number], size: number, chars: number): Refusal {
  const details = { chars };
  if (from > to)
    return new Refusal("INVALID_POSITION", `${from}..${to}: the range ends before its start`, {
      suggestion: `Send the smaller number first: [${to}, ${from}].`,
      details,
    });
  if (to > size)
    return new Refusal(
      "INVALID_POSITION",
      `${from}..${to} ends past the end: ${countOf(size, "character")}`,
      {
        suggestion: `Send positions from 0 to ${size}.`,
        details,
      },
    );
  return new Refusal("INVALID_POSITION", `${from}..${to} begins or ends inside a character`, {
    suggestion: "Positions count in the unit of hello's positionEncoding. Send one beside it.",
    details,
  });
}

function countOf(count: number, what: string): string {
  return `the document has ${count} ${what}${count === 1 ? "" : "s"}`;
}
