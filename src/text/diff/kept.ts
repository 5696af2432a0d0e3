import { inkOf } from "./space.ts";
import { core, isOneSided, type Stretch } from "./stretch.ts";
import { startsOf } from "./words.ts";

/** Kept parts with fewer characters than this on average may be chance. White space does not count. */
const KEPT = 3;

/** A line and its words. */
export interface WordLine {
  readonly text: string;
  readonly words: readonly string[];
}

/**
 * Returns the changes that turn line `a` into line `b` if one of them has all words of the other in their order. Text
 * was then only inserted or only deleted. Returns undefined otherwise, and where the kept words may be chance.
 */
export function keptChanges(a: WordLine, b: WordLine): Stretch[] | undefined {
  return a.text.length > b.text.length ? insertions(b, a)?.map(swapped) : insertions(a, b);
}

/** Returns the insertions that turn `a` into `b`; each word of `a` is kept at its earliest place in `b`. */
function insertions(a: WordLine, b: WordLine): Stretch[] | undefined {
  const whole = core(a.text, b.text);
  const changes = isOneSided(whole) ? [whole] : earliest(a.words, b.words);
  return changes !== undefined && isMeant(a.text, changes) ? changes : undefined;
}

/** Returns the insertions between words that turn `a` into `b`; undefined if `b` lacks a word. */
function earliest(a: readonly string[], b: readonly string[]): Stretch[] | undefined {
  const places: number[] = [];
  for (let j = 0; j < b.length && places.length < a.length; j++)
    if (a[places.length] === b[j]) places.push(j);
  if (places.length < a.length) return undefined;
  const [startsA, startsB] = [startsOf(a), startsOf(b)];
  return [...places, b.length].flatMap((place, i) => {
    const next = i === 0 ? 0 : places[i - 1]! + 1;
    return next === place
      ? []
      : { a0: startsA[i]!, a1: startsA[i]!, b0: startsB[next]!, b1: startsB[place]! };
  });
}

/** Returns true if the parts of `a` between insertions are long enough on average. */
function isMeant(a: string, inserted: readonly Stretch[]): boolean {
  const cuts = [0, ...inserted.map(({ a0 }) => a0), a.length];
  const inks = cuts.slice(1).map((cut, i) => inkOf(a, cuts[i], cut));
  const parts = inks.filter((ink) => ink > 0).length;
  return parts > 0 && inks.reduce((sum, ink) => sum + ink, 0) >= KEPT * parts;
}

function swapped({ a0, a1, b0, b1 }: Stretch): Stretch {
  return { a0: b0, a1: b1, b0: a0, b1: a1 };
}
