import type { Unit } from "../../text/positions.ts";
import { isWellFormed } from "../../text/positions.ts";
import { type Splice, spliceProblem } from "../../text/splice.ts";
import { Refusal } from "../outcome/refusal.ts";
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
      const a = text.convert(from, unit, "utf-32");
      const b = text.convert(to, unit, "utf-32");
      if (a === undefined || b === undefined)
        return positionRefusal(
          `splice ${i}: ${from}..${to} ends outside the text or inside a character`,
          text.chars,
        );
      converted.push({ from: a, to: b, insert });
    }
    const problem = spliceProblem(converted, text.chars);
    return problem === undefined ? { splices: converted } : positionRefusal(problem, text.chars);
  };
}

function positionRefusal(message: string, chars: number): Refusal {
  return new Refusal("INVALID_POSITION", message, {
    suggestion:
      "Positions start at 0 in the text of the base version. Read the document again and send new positions.",
    details: { chars },
  });
}
