import { countChars } from "../../text/positions.ts";
import { invert, type Splice } from "../../text/splice.ts";
import { Text } from "../../text/text.ts";
import type { UnseenStep } from "./unseen-steps.ts";
import { shareQuoted, wordsOf } from "./words.ts";

/** More than this share of what a step put in, found in a save, shows that its author has seen the step. */
export const SEEN = 0.25;

/**
 * The steps that a save of the file left nothing of, though nothing shows that whoever saved had seen them: it has
 * nothing of what came after them either. `changes` make `known`, the text after the last step, into `saved`.
 */
export function erasedSteps(
  since: readonly UnseenStep[],
  known: Text,
  saved: Text,
  changes: readonly Splice[],
): readonly UnseenStep[] {
  const left = sharesLeft(since, known, saved, changes);
  const seen = left.findLastIndex((share) => share !== undefined && share > SEEN);
  return since.filter((_, i) => i > seen && left[i] !== undefined);
}

/**
 * How much of what each step put in, and later ones left, the save has: of the words that were new then, or of the
 * characters where there are none. Undefined for a step of which nothing was left to take out.
 */
function sharesLeft(
  since: readonly UnseenStep[],
  known: Text,
  saved: Text,
  changes: readonly Splice[],
): readonly (number | undefined)[] {
  const base = since.reduceRight(
    (text, { splices, removed }) => text.splice(invert(splices, removed)),
    known,
  );
  const origins = originsOf(since, base);
  const before = countOrigins(origins);
  const after = countOrigins(origins.splice(changes.map((splice) => ({ ...splice, insert: "" }))));
  const [old, there, kept] = [base, known, saved].map((text) => new Set(wordsOf(text.toString())));
  return since.map(({ splices }, i) => {
    const put = before.get(originOf(i));
    if (put === undefined) return undefined;
    const words = splices.flatMap(({ insert }) => wordsOf(insert));
    const own = words.filter((word) => !old!.has(word) && there!.has(word));
    return shareQuoted(own, kept!) ?? (after.get(originOf(i)) ?? 0) / put;
  });
}

/** For each character of the text after the steps, which of them put it there. */
function originsOf(since: readonly UnseenStep[], base: Text): Text {
  return since.reduce(
    (origins, { splices }, i) =>
      origins.splice(
        splices.map(({ from, to, insert }) => ({ from, to, insert: originOf(i).repeat(countChars(insert)) })),
      ),
    Text.of(BASE.repeat(base.chars)),
  );
}

/** Stands for a character that was there before the steps. */
const BASE = "\0";

function originOf(step: number): string {
  return String.fromCharCode(1 + step);
}

function countOrigins(origins: Text): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const origin of origins.toString()) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return counts;
}
