import { hunkSplices } from "../../text/numbered.ts";
import type { Splice } from "../../text/splice.ts";
import type { Outcome } from "../refusal.ts";
import { noHunk } from "./refusals.ts";
import type { Standing } from "./standing.ts";

/** What of a proposal is approved and what is not, both in positions of the newest text. */
export interface Choice {
  readonly chosen: readonly Splice[];
  readonly rest: readonly Splice[];
}

/** The hunks with these numbers, counted as the diff shows them; all of it without numbers. */
export function choose(
  id: string,
  { now, splices }: Standing,
  numbers: readonly number[] | undefined,
): Outcome<Choice> {
  if (numbers === undefined) return { chosen: splices, rest: [] };
  const hunks = hunkSplices(now.toString(), now.splice(splices).toString());
  const missing = numbers.find((number) => number > hunks.length);
  if (missing !== undefined) return noHunk(id, missing, hunks.length);
  const wanted = new Set(numbers);
  return {
    chosen: hunks.filter((_, i) => wanted.has(i + 1)).flat(),
    rest: hunks.filter((_, i) => !wanted.has(i + 1)).flat(),
  };
}
