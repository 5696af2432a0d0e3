import type { Unit } from "../../text/positions.ts";
import { isWellFormed } from "../../text/positions.ts";
import type { Splice } from "../../text/splice.ts";
import { rangeIn } from "../outcome/position-refusals.ts";
import { isRefusal, Refusal } from "../outcome/refusal.ts";
import type { Planner } from "./plan.ts";

/** Plans `edit.splice`: ranges of the base, in the caller's position unit. */
export function planSplice(splices: readonly Splice[], unit: Unit): Planner {
  return ({ text }) => {
    const converted: Splice[] = [];
    for (const [i, { from, to, insert }] of splices.entries()) {
      if (!isWellFormed(insert))
        return new Refusal(
          "INVALID_ARGUMENT",
          `splice ${i}: insert contains a lone surrogate, which is not valid text`,
        );
      const range = rangeIn(text, { from, to }, unit, `splice ${i}: `);
      if (isRefusal(range)) return range;
      if (range.from < (converted.at(-1)?.to ?? 0))
        return new Refusal(
          "INVALID_POSITION",
          `splice ${i}: ${from}..${to} overlaps the splice before it or comes before it`,
          {
            suggestion:
              "Sort the splices by their positions in the text before any of them, and let none overlap.",
            details: { splice: i, chars: text.chars },
          },
        );
      converted.push({ ...range, insert });
    }
    return { splices: converted };
  };
}
