import { countChars } from "../../text/positions.ts";
import { invert, type Splice } from "../../text/splice.ts";
import { Text } from "../../text/text.ts";
import { SEEN_SHARE, type UnseenStep } from "./unseen-steps.ts";
import { quotedShareIn } from "./words.ts";

/**
 * Returns the steps whose text a save removed although nothing in the save shows that its author had seen them.
 * A save that contains enough text of a step shows that its author had seen this step and all earlier ones.
 * `changes` turn `known`, the text after the last step, into `saved`.
 */
export function erasedSteps(
  steps: readonly UnseenStep[],
  known: Text,
  saved: Text,
  changes: readonly Splice[],
): readonly UnseenStep[] {
  const shares = survivingShares(steps, known, saved, changes);
  const lastSeen = shares.findLastIndex((share) => share !== undefined && share > SEEN_SHARE);
  return steps.filter((_, i) => i > lastSeen && shares[i] !== undefined);
}

/**
 * Returns, for each step, the share of its inserted text that the save contains, of the text that later steps left in
 * `known`. The share is of the words or lines that were new with the step, else of characters. It is undefined
 * if later steps had removed the step's whole text.
 */
function survivingShares(
  steps: readonly UnseenStep[],
  known: Text,
  saved: Text,
  changes: readonly Splice[],
): readonly (number | undefined)[] {
  const base = steps.reduceRight(
    (text, { splices, removed }) => text.splice(invert(splices, removed)),
    known,
  );
  const marks = marksOf(steps, base);
  const counted = countMarks(marks);
  const after = countMarks(marks.splice(changes.map((splice) => ({ ...splice, insert: "" }))));
  const shareOf = quotedShareIn(saved.toString(), known.toString());
  const before = base.toString();
  return steps.map(({ splices }, i) => {
    const chars = counted.get(markOf(i));
    if (chars === undefined) return undefined;
    return shareOf(splices, before) ?? (after.get(markOf(i)) ?? 0) / chars;
  });
}

/** Returns the text after the steps with each character replaced by the mark of the step that inserted it. */
function marksOf(steps: readonly UnseenStep[], base: Text): Text {
  return steps.reduce(
    (marks, { splices }, i) =>
      marks.splice(
        splices.map(({ from, to, insert }) => ({ from, to, insert: markOf(i).repeat(countChars(insert)) })),
      ),
    Text.of(BASE_MARK.repeat(base.chars)),
  );
}

/** The mark of a character that precedes all steps. */
const BASE_MARK = "\0";

function markOf(step: number): string {
  return String.fromCharCode(1 + step);
}

function countMarks(marks: Text): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const mark of marks.toString()) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}
