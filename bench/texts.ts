import { seeded, under } from "./random.ts";

const WORDS =
  "const return await import value index line text from to splice file read write open close next".split(" ");

/** A text of about so many bytes, in lines like a program's, with `markerLine(0)` once in its middle. */
export function textOf(bytes: number): string {
  const random = seeded(bytes);
  const lines: string[] = [];
  for (let size = 0; size < bytes; ) {
    const line = `${"  ".repeat(under(random, 4))}${wordsOf(random, 2 + under(random, 9))}; // ${lines.length}\n`;
    lines.push(line);
    size += line.length;
  }
  lines.splice(lines.length >> 1, 0, markerLine(0));
  return lines.join("");
}

/** A line that is in the text once; all are of one length, so that the text keeps its size. */
export function markerLine(n: number): string {
  return `the marker is at ${String(n).padStart(8, "0")} now\n`;
}

function wordsOf(random: () => number, count: number): string {
  return Array.from({ length: count }, () => WORDS[under(random, WORDS.length)]!).join(" ");
}
