import { lineBody, splitLines } from "../../text/lines.ts";
import { likeness, signatureOf } from "../../text/similar.ts";
import type { Text } from "../../text/text.ts";

/** The most lines that a search compares: a hint is not worth more time. */
const MOST_LINES = 20_000;
/** The most characters of a line that a refusal quotes. */
const MOST_QUOTED = 400;
/** A less similar line is no useful hint. */
const LEAST_LIKENESS = 0.35;

/**
 * Returns the line (1-based) most similar to the first line of `wanted` that is not blank; undefined if no line is
 * similar.
 */
export function nearestLine(text: Text, wanted: string): { line: number; text: string } | undefined {
  const target = splitLines(wanted)
    .map(lineBody)
    .find((line) => line.trim() !== "");
  if (target === undefined) return undefined;
  const signature = signatureOf(target.toLowerCase());
  let best: { line: number; text: string; score: number } | undefined;
  for (const [i, raw] of splitLines(text.toString()).slice(0, MOST_LINES).entries()) {
    const line = lineBody(raw);
    const score = likeness(signature, signatureOf(line.toLowerCase()));
    if (score > (best?.score ?? LEAST_LIKENESS))
      best = { line: i + 1, text: line.slice(0, MOST_QUOTED), score };
  }
  return best && { line: best.line, text: best.text };
}
