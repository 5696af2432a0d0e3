import { lineBody, splitLines } from "../../text/lines.ts";
import { likeness, signatureOf } from "../../text/similar.ts";
import type { Text } from "../../text/text.ts";

/** Lines compared at the most, and characters of one that are shown: a hint is not worth more. */
const MOST_LINES = 20_000;
const SHOWN = 400;
/** Below this likeness a line is no help. */
const ENOUGH = 0.35;

/** The line of a text most like the first line of `wanted` that is not blank, if any is at all alike. */
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
    if (score > (best?.score ?? ENOUGH)) best = { line: i + 1, text: line.slice(0, SHOWN), score };
  }
  return best && { line: best.line, text: best.text };
}
