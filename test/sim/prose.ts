import type { Splice } from "../../src/text/splice.ts";
import { Seeded } from "../helpers/seeded.ts";
import { isMark } from "./ledger.ts";

/** Few words, so that texts repeat themselves and places are easily mistaken for one another. */
const WORDS = ["one", "two", "the", "a", "é", "\u{1f600}", "-", "cat sat", "  indented", "x"];

function line(random: Seeded): string {
  return Array.from({ length: random.int(6) }, () => random.pick(WORDS)).join(" ");
}

/** A text of some lines; `eol` between them, and at the end or not. */
export function prose(random: Seeded, lines: number, eol: string): string {
  const body = Array.from({ length: random.int(lines + 1) }, () => line(random)).join(eol);
  return random.chance(0.8) ? body + eol : body;
}

/** Letters that no two marks have in common but by chance, so that whose word it is shows in most of it. */
function lettersOf(mark: string): string {
  const random = new Seeded(mark.codePointAt(0)!);
  return Array.from({ length: 12 }, () => String.fromCodePoint(0x61 + random.int(26))).join("");
}

/** What an edit puts into a text: its mark in a word of its own, and something around it. */
export function insertion(random: Seeded, mark: string): string {
  const word = `‹${mark}${lettersOf(mark)}›`;
  return random.pick([
    word,
    `${word} `,
    ` ${word}`,
    `${word}\n`,
    `\n${line(random)} ${word}\n`,
    `the ${word}`,
  ]);
}

/** Where the words with marks stand in a text, in code points. */
function markedWords(points: readonly string[]): (position: number) => boolean {
  const inside = new Set<number>();
  let open = false;
  for (const [i, c] of points.entries()) {
    if (open) inside.add(i);
    if (c === "‹") open = true;
    else if (c === "›") open = false;
  }
  return (position) => inside.has(position);
}

/** A change of a text that takes out no mark that the ledger counts, and cuts no word of one in two. */
export function change(random: Seeded, text: string, mark: string): Splice {
  const points = Array.from(text);
  const inside = markedWords(points);
  let from = random.int(points.length + 1);
  while (inside(from)) from--;
  const most = random.chance(0.6) ? 0 : random.pick([1, 3, 8, 30]);
  let to = from;
  while (to < points.length && to - from < most && points[to] !== "‹" && !isMark(points[to]!)) to++;
  return { from, to, insert: insertion(random, mark) };
}

/** As change, in the text of a file: a byte order mark stays where it is. */
export function changeOfFile(random: Seeded, text: string, mark: string): Splice {
  const skip = text.startsWith("\ufeff") ? 1 : 0;
  const splice = change(random, text.slice(skip), mark);
  return { ...splice, from: splice.from + skip, to: splice.to + skip };
}

export function apply(text: string, { from, to, insert }: Splice): string {
  const points = Array.from(text);
  points.splice(from, to - from, insert);
  return points.join("");
}
