import type { Splice } from "../../text/splice.ts";

/** Words of at least four characters; shorter ones occur in most texts by chance. */
const LONG_WORDS = /[\p{L}\p{N}_]{4,}/gu;

/** Returns the long words of a text in their order, repeated ones included. */
function wordsOf(text: string): readonly string[] {
  return text.match(LONG_WORDS) ?? [];
}

/** A shorter line, such as a bracket, occurs in most texts by chance. */
const LINE_CHARS = 4;

/** Returns the lines of a text in their order, without the white space around them. Short ones are left out. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= LINE_CHARS);
}

/** Returns the share of the text new with some edits of `base` that a save contains; undefined where that shows nothing. */
export type QuotedShare = (edits: readonly Splice[], base: string) => number | undefined;

/**
 * Returns a function that counts what a save contains of edits, wherever it is there: the share of their new words or,
 * without new words, of their new lines. What is not in `newest` was removed again, and does not count.
 */
export function quotedShareIn(save: string, newest?: string): QuotedShare {
  const kinds = [wordsOf, linesOf].map((partsOf) => {
    const left = newest === undefined ? undefined : new Set(partsOf(newest));
    const saved = new Set(partsOf(save));
    let old: { readonly base: string; readonly parts: ReadonlySet<string> } | undefined;
    return (edits: readonly Splice[], base: string) => {
      const parts = edits
        .flatMap(({ insert }) => partsOf(insert))
        .filter((part) => left?.has(part) !== false);
      if (parts.length === 0) return undefined;
      if (old?.base !== base) old = { base, parts: new Set(partsOf(base)) };
      const before = old.parts;
      return sharedParts(
        parts.filter((part) => !before.has(part)),
        saved,
      );
    };
  });
  return (edits, base) => kinds[0]!(edits, base) ?? kinds[1]!(edits, base);
}

/** Returns the share of some words or lines that `text` contains; undefined if there are none. */
function sharedParts(parts: readonly string[], text: ReadonlySet<string>): number | undefined {
  return parts.length === 0 ? undefined : parts.filter((part) => text.has(part)).length / parts.length;
}

/** True when a save has most of the lines of `newest` that `base` lacks, wherever they are there. */
export function hasNewLines(save: string, newest: string, base: string): boolean {
  const before = new Set(linesOf(base));
  const lines = linesOf(newest).filter((line) => !before.has(line));
  return (sharedParts(lines, new Set(linesOf(save))) ?? 0) > 0.5;
}
