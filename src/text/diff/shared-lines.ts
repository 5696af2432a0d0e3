import { splitLines } from "../lines.ts";

/** Returns the length of the lines that both texts have, wherever they are. */
export function sharedLines(a: string, b: string): number {
  const left = new Map<string, number>();
  for (const line of splitLines(a)) left.set(line, (left.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of splitLines(b)) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    shared += line.length;
  }
  return shared;
}
