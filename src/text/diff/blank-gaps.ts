import type { CutText } from "./line-symbols.ts";
import { isSpace } from "./space.ts";
import { isOneSided, type Stretch } from "./stretch.ts";

/** Groups of up to this many lines, both sides together, are compared as a whole, too. */
const MOST_LINES = 200;

/**
 * Groups the changes between lines of `a` and of `b` that only blank lines part. A text has many blank lines, so that
 * such a match may be chance: then a paragraph counts as moved past it. Where no change only inserts or only deletes
 * lines, none does; these changes stay apart.
 */
export function acrossBlank(changes: readonly Stretch[], a: CutText): Stretch[][] {
  const groups: Stretch[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (group !== undefined && isBlank(a, group.at(-1)!.a1, change.a0)) group.push(change);
    else groups.push([change]);
  }
  return groups.flatMap((group) => (mayHaveMoved(group) ? [group] : group.map((change) => [change])));
}

/** Returns the smallest stretch with all changes of a group. */
export function wholeOf(group: readonly Stretch[]): Stretch {
  const [first, last] = [group[0]!, group.at(-1)!];
  return { a0: first.a0, a1: last.a1, b0: first.b0, b1: last.b1 };
}

function mayHaveMoved(group: readonly Stretch[]): boolean {
  const { a0, a1, b0, b1 } = wholeOf(group);
  return a1 - a0 + b1 - b0 <= MOST_LINES && group.some(isOneSided);
}

function isBlank({ text, starts }: CutText, from: number, to: number): boolean {
  for (let at = starts[from]!; at < starts[to]!; at++) if (!isSpace(text.charCodeAt(at))) return false;
  return true;
}
