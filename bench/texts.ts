import { seeded, under } from "./random.ts";

const WORDS =
  "const return await import value index line text from to splice file read write open close next".split(" ");

/** Returns a text of about `bytes` bytes with lines like a program's, and `markerLine(0)` once in its middle. */
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

/** Returns a marker, which a text contains once. All markers have one length, so the text's size stays the same. */
export function markerLine(n: number): string {
  return `the marker is at ${String(n).padStart(8, "0")} now\n`;
}

function wordsOf(random: () => number, count: number): string {
  return Array.from({ length: count }, () => WORDS[under(random, WORDS.length)]!).join(" ");
}
