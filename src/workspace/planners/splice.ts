import type { Unit } from "../../text/positions.ts";
import { isWellFormed } from "../../text/positions.ts";
import { type Splice, spliceProblem } from "../../text/splice.ts";
import { Refusal } from "../outcome/refusal.ts";
import type { Planner } from "./plan.ts";

/** `edit.splice`: ranges of the base text by position, in the unit that the caller counts in. */
export function planSplice(splices: readonly Splice[], unit: Unit): Planner {
  return ({ text }) => {
    const converted: Splice[] = [];
    for (const [i, { from, to, insert }] of splices.entries()) {
      if (!isWellFormed(insert))
        return new Refusal(
          "INVALID_ARGUMENT",
          `splice ${i}: insert holds a lone surrogate, which is no text`,
        );
      const a = text.convert(from, unit, "utf-32");
      const b = text.convert(to, unit, "utf-32");
      if (a === undefined || b === undefined)
        return position(`splice ${i}: ${from}..${to} is outside the text or inside a character`, text.chars);
      converted.push({ from: a, to: b, insert });
    }
    const problem = spliceProblem(converted, text.chars);
    return problem === undefined ? { splices: converted } : position(problem, text.chars);
  };
}

function position(message: string, chars: number): Refusal {
  return new Refusal("INVALID_POSITION", message, {
    suggestion: "Positions count from 0 in the text of the version you name; read the document again.",
    details: { chars },
  });
}
