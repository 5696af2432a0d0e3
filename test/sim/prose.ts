import type { Splice } from "../../src/text/splice.ts";
import { Seeded } from "../helpers/seeded.ts";
import { isMark } from "./ledger.ts";

/** Few words, so that texts repeat themselves and places look alike. */
const WORDS = ["one", "two", "the", "a", "é", "\u{1f600}", "-", "cat sat", "  indented", "x"];

function line(random: Seeded): string {
  return Array.from({ length: random.int(6) }, () => random.pick(WORDS)).join(" ");
}

/** Returns a text of some lines, with `eol` between them and sometimes at the end. */
export function prose(random: Seeded, lines: number, eol: string): string {
  const body = Array.from({ length: random.int(lines + 1) }, () => line(random)).join(eol);
  return random.chance(0.8) ? body + eol : body;
}

/** Returns random letters, so that most of each word belongs to one mark alone. */
function lettersOf(mark: string): string {
  const random = new Seeded(mark.codePointAt(0)!);
  return Array.from({ length: 12 }, () => String.fromCodePoint(0x61 + random.int(26))).join("");
}

/** Returns a mark in a word of its own. */
export function word(mark: string): string {
  return `‹${mark}${lettersOf(mark)}›`;
}

/** Returns the text that an edit inserts: its mark in a word of its own, and some words around it. */
export function insertion(random: Seeded, mark: string): string {
  const own = word(mark);
  return random.pick([own, `${own} `, ` ${own}`, `${own}\n`, `\n${line(random)} ${own}\n`, `the ${own}`]);
}

/** Returns the places of the words with marks in a text, in code points. */
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

/** Returns a change of a text that deletes no mark that the ledger counts, and cuts no word of a mark in two. */
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

/** Does the same as `change` for the text of a file: a byte order mark stays at its start. */
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
