import { placePatch } from "../../text/locate.ts";
import { isPatchFailure, type PatchFailure, parsePatch } from "../../text/patch.ts";
import { Refusal } from "../refusal.ts";
import type { Planner } from "./plan.ts";

/** A hunk that moved farther than this may have found a twin of its place: a person or model looks first. */
const CONFIRM_OFFSET = 10;

/** A patch with more hunks than this would hold up everybody else while it is placed (I14). */
const MOST_HUNKS = 10_000;

/** `edit.patch`: a unified diff of one file, matched strictly: all hunks or none. */
export function planPatch(source: string): Planner {
  return ({ text }) => {
    const hunks = source.match(/^@@/gm)?.length ?? 0;
    if (hunks > MOST_HUNKS)
      return new Refusal("TOO_LARGE", `the patch has ${hunks} hunks; the limit is ${MOST_HUNKS}`, {
        suggestion: "Send it in parts, or the whole text with edit.write.",
      });
    const patch = parsePatch(source);
    if (isPatchFailure(patch)) return patchRefusal(patch);
    const placed = placePatch(text, patch);
    if (isPatchFailure(placed)) return patchRefusal(placed);
    const { maxOffset, fuzz, splices } = placed;
    return {
      splices,
      applied: { hunks: placed.hunks.length, offset: maxOffset, fuzz },
      ...(maxOffset > CONFIRM_OFFSET && {
        confirm: `a hunk was found ${maxOffset} lines from where the patch says`,
      }),
    };
  };
}

function patchRefusal(failure: PatchFailure): Refusal {
  const { message, ...details } = failure;
  const where = failure.hunk === undefined ? "" : `hunk ${failure.hunk}: `;
  return new Refusal(
    failure.reason === "context_ambiguous" ? "AMBIGUOUS_MATCH" : "PATCH_REJECTED",
    where + message,
    {
      suggestion:
        SUGGESTIONS[failure.reason] ?? "Read the document again and make the patch against that text.",
      details,
    },
  );
}

const SUGGESTIONS: Partial<Record<PatchFailure["reason"], string>> = {
  already_applied: "Nothing to do: the document already reads as the patch would leave it.",
  context_ambiguous: "Give more context lines, or correct the line numbers in the @@ header.",
  invalid_header:
    "Write hunk headers as @@ -line,count +line,count @@ with the counts of the lines that follow.",
  multiple_files: "Send one patch a document, or all of them with batch.apply.",
  empty_diff: "Send at least one hunk, starting with @@.",
  empty_hunk: "A hunk needs at least one line that starts with + or -.",
};
