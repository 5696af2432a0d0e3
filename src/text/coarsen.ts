import type { Splice } from "./splice.ts";
import type { Text } from "./text.ts";

/**
 * Returns at most `most` splices with the same effect as the given ones. Splices with the least text between them are
 * joined, and the joined splice reinserts that text. The splices are normalized and in positions of `text`.
 */
export function coarsen(splices: readonly Splice[], text: Text, most: number): readonly Splice[] {
  if (splices.length <= most) return splices;
  const gaps = splices.slice(1).map(({ from }, i) => ({ size: from - splices[i]!.to, after: i }));
  gaps.sort((a, b) => a.size - b.size || a.after - b.after);
  const closed = new Set(gaps.slice(0, splices.length - most).map(({ after }) => after));
  const joined: Splice[] = [];
  let inserts: string[] = [];
  let from = 0;
  for (const [i, splice] of splices.entries()) {
    if (inserts.length === 0) from = splice.from;
    inserts.push(splice.insert);
    if (closed.has(i)) inserts.push(text.slice(splice.to, splices[i + 1]!.from));
    else {
      joined.push({ from, to: splice.to, insert: inserts.join("") });
      inserts = [];
    }
  }
  return joined;
}
