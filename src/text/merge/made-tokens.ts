import { splitLines } from "../lines.ts";
import { wordsOf } from "./tokens.ts";

/** Returns true when a changed line of a text has a word or number that no changed line of its sources has. */
export function makesTokens(text: string, sources: readonly string[]): boolean {
  const lines = splitLines(text);
  const sourceLines = new Set(sources.flatMap(splitLines));
  const changed = lines.filter((line) => !sourceLines.has(line));
  const kept = new Set(lines);
  const known = new Set([...sourceLines].filter((line) => !kept.has(line)).flatMap(wordsOf));
  return changed.flatMap(wordsOf).some((word) => !known.has(word));
}
