import { countChars } from "../positions.ts";
import type { Splice } from "../splice.ts";

/** A range of code points, half-open. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns a number for each hunk of an edit's present diff: the one that it had in the first diff, whose hunks are
 * `first`. `since` turned the first text into the present one. A hunk that is not one of the first ones, such as two of
 * them that grew together, gets a number that none of them had. That number counts such hunks, so later changes may
 * change it. All hunks are ascending, and every hunk has a splice.
 */
export function hunkNumbers(
  first: readonly (readonly Splice[])[],
  since: readonly Splice[],
  present: readonly (readonly Splice[])[],
): number[] {
  const places = placesAfter(first.map(rangeOf), since);
  const ranges = present.map(rangeOf);
  const owners = ranges.map((range) => touching(range, places));
  const claims = new Map<number, number>();
  for (const owner of owners.flat()) claims.set(owner, (claims.get(owner) ?? 0) + 1);
  let last = first.length;
  return owners.map(([owner, ...others]) => {
    const isOne = owner !== undefined && others.length === 0 && claims.get(owner) === 1;
    return isOne ? owner + 1 : ++last;
  });
}

function rangeOf(hunk: readonly Splice[]): Range {
  return { from: hunk[0]!.from, to: hunk.at(-1)!.to };
}

/** Returns what ascending ranges became through the splices, with all that the splices changed in them or at their ends. */
function placesAfter(ranges: readonly Range[], splices: readonly Splice[]): Range[] {
  let next = 0;
  let shift = 0;
  return ranges.map((range) => {
    for (let s = splices[next]; s !== undefined && s.to < range.from; s = splices[++next])
      shift += growthOf(s);
    let { from, to } = range;
    let inside = 0;
    for (let i = next; i < splices.length && splices[i]!.from <= range.to; i++) {
      from = Math.min(from, splices[i]!.from);
      to = Math.max(to, splices[i]!.to);
      inside += growthOf(splices[i]!);
    }
    return { from: from + shift, to: to + shift + inside };
  });
}

function growthOf({ from, to, insert }: Splice): number {
  return countChars(insert) - (to - from);
}

/** Returns the indexes of the ascending places that a range overlaps or meets. */
function touching({ from, to }: Range, places: readonly Range[]): number[] {
  const found: number[] = [];
  for (let i = firstEndingAt(from, places); i < places.length && places[i]!.from <= to; i++) found.push(i);
  return found;
}

/** Returns the index of the first place that ends at a position or after it. */
function firstEndingAt(position: number, places: readonly Range[]): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]!.to < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
