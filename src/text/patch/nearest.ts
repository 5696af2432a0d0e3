import { likeness, signatureOf } from "../diff/similar.ts";
import type { DocumentLines } from "./document-lines.ts";

/** The number of the hunk's lines to search for, and the most places of one line that count. */
const SOUGHT = 200;
const PLACES = 64;
/**
 * The number of document lines compared with one hunk line when no line is equal, and the least likeness that counts.
 */
const COMPARED = 2000;
const ALIKE = 0.5;

/**
 * Returns the index at which the document is most like the lines of a hunk; undefined when nothing is like them. Among
 * equally good places it returns the one closest to `stated`. The search is bounded: the result serves messages, never
 * edits.
 */
export function nearest(
  document: DocumentLines,
  pattern: readonly string[],
  stated: number,
): number | undefined {
  const votes = new Map<number, number>();
  const lines = document.bodies(0, document.count);
  const sought = pattern.slice(0, SOUGHT);
  const places = placesOf(lines, sought);
  for (const [i, line] of sought.entries()) {
    const weight = 1 + Math.min(20, line.trim().length);
    for (const place of places.get(line) ?? [])
      if (place >= i) votes.set(place - i, (votes.get(place - i) ?? 0) + weight);
  }
  let best: number | undefined;
  for (const [place, vote] of votes) {
    const most = best === undefined ? 0 : votes.get(best)!;
    if (vote > most || (vote === most && Math.abs(place - stated) < Math.abs(best! - stated))) best = place;
  }
  return best ?? alike(lines, sought, stated);
}

/** Returns the places of the given lines. A line in too many places identifies nothing and is left out. */
function placesOf(lines: readonly string[], sought: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>(sought.map((line) => [line, []]));
  for (const [i, line] of lines.entries()) {
    const list = places.get(line);
    if (list !== undefined && list.length <= PLACES) list.push(i);
  }
  for (const [line, list] of places) if (list.length > PLACES) places.delete(line);
  return places;
}

/** Returns the place where the document, around the stated place, is most like the longest line sought. */
function alike(lines: readonly string[], sought: readonly string[], stated: number): number | undefined {
  const longest = sought.reduce((best, line, i) => (line.length > sought[best]!.length ? i : best), 0);
  const signature = signatureOf(sought[longest] ?? "");
  const middle = Math.min(stated + longest, lines.length);
  const first = Math.max(longest, middle - COMPARED / 2);
  const found = lines
    .slice(first, middle + COMPARED / 2)
    .map((line, i) => ({ at: first + i, value: likeness(signature, signatureOf(line)) }))
    .filter(({ value }) => value >= ALIKE)
    .sort((a, b) => b.value - a.value || Math.abs(a.at - middle) - Math.abs(b.at - middle));
  return found[0] === undefined ? undefined : found[0].at - longest;
}
