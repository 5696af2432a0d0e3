import { firstLine, lastLine } from "../lines.ts";
import type { Block } from "./blocks.ts";
import type { Place } from "./place.ts";
import { REACH } from "./tokens.ts";

/** Marks that stand between words. A side that changed nothing else rewrote no words. */
const MARKS = /^[\s,;:.(){}[\]"'`]*$/;
const KEY = /^([^:=]*[\p{L}\p{N}][^:=]*?)\s*[:=]/u;

/**
 * Returns true when two blocks with at most white space between them are close. Each rewrote words next to the other's,
 * both changed the marks or the white space of one place, or both added an entry with the same key. `left` comes first.
 */
export function isClose(place: Place, left: Block, right: Block): boolean {
  const before = changeOf(
    lastLine(left.insert),
    lastLine(place.slice(Math.max(left.from, left.to - REACH), left.to)),
  );
  const after = changeOf(
    firstLine(right.insert),
    firstLine(place.slice(right.from, Math.min(right.to, right.from + REACH))),
  );
  if (before === "words" && after === "words") return true;
  if (left.to < right.from) return false;
  const isOnLine = before !== "nothing" && after !== "nothing";
  const isOnePlace = left.from === right.to && before !== "space" && after !== "space";
  return (isOnLine && (isOnePlace || before === after)) || addSameEntry(left.insert, right.insert);
}

type Change = "nothing" | "space" | "marks" | "words";

function changeOf(inserted: string, removed: string): Change {
  const text = inserted + removed;
  if (!MARKS.test(text)) return "words";
  if (/\S/.test(text)) return "marks";
  return text === "" ? "nothing" : "space";
}

/** Returns true when two texts of whole lines have a line with the same key at their outermost indentation. */
function addSameEntry(one: string, other: string): boolean {
  if (!one.includes("\n") || !other.includes("\n")) return false;
  const keys = new Set(keysOf(one));
  return keysOf(other).some((key) => keys.has(key));
}

function keysOf(text: string): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const indents = lines.map((line) => line.length - line.trimStart().length);
  const outermost = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  return lines.flatMap((line, i) => {
    const key = indents[i] === outermost ? KEY.exec(line.trim())?.[1] : undefined;
    return key === undefined ? [] : [key];
  });
}
