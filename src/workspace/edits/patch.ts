import type { Allowance } from "../../text/ladder.ts";
import { type Landed, placePatch } from "../../text/locate.ts";
import { isPatchFailure, type Match, type Patch, type PatchFailure, parsePatch } from "../../text/patch.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../refusal.ts";
import type { Doubt, Planner } from "./plan.ts";

/** A hunk that moved farther than this may have found a twin of its place: a person or model looks first. */
const CONFIRM_OFFSET = 10;

/** A patch with more hunks than this would hold up everybody else while it is placed (I14). */
const MOST_HUNKS = 10_000;
/** The same for hunks that are looked for in the whole document: times its lines. */
const MOST_LOOKED = 50_000_000;

/** Doubtful hunks that are shown, and lines of each. */
const SHOWN_HUNKS = 20;
const SHOWN_LINES = 20;

/** `edit.patch`: a unified diff of one file: all hunks or none. What was allowed for is to be confirmed. */
export function planPatch(source: string, match: Match = "strict"): Planner {
  return ({ text }) => {
    const patch = parsePatch(source, match);
    if (isPatchFailure(patch)) return patchRefusal(patch);
    const refused = sizeRefusal(patch, text);
    if (refused !== undefined) return refused;
    const placed = placePatch(text, patch, match);
    if (isPatchFailure(placed)) return patchRefusal(placed);
    const { maxOffset, fuzz, splices, hunks } = placed;
    const doubts = hunks.flatMap((hunk, i) => doubtOf(hunk, i + 1, text) ?? []);
    return {
      splices,
      applied: { hunks: hunks.length, offset: maxOffset, fuzz },
      ...(doubts.length > 0 && { confirm: reasonOf(doubts), doubts: doubts.slice(0, SHOWN_HUNKS) }),
    };
  };
}

/** What somebody has to look at before a hunk is applied; undefined when there is nothing (4.7). */
function doubtOf(
  { line, count, offset, fuzz, allowed }: Landed,
  hunk: number,
  text: Text,
): Doubt | undefined {
  const far = Math.abs(offset) > CONFIRM_OFFSET;
  if (!far && fuzz === 0) return undefined;
  const moved = far ? [`was found ${Math.abs(offset)} lines from where the patch says`] : [];
  const why = allowed === undefined ? moved : [...moved, `${ALLOWED[allowed]} (fuzz ${fuzz})`];
  const end = Math.min(line + count, line + SHOWN_LINES, text.lines + 1);
  const there = text.slice(text.lineStart(line), text.lineStart(Math.max(line, end)));
  const lines = there.replace(/\r?\n$/, "").split(/\r?\n/);
  return { hunk, line, offset, fuzz, why: why.join(" and "), lines };
}

const ALLOWED: Readonly<Record<Allowance, string>> = {
  "white space": "fits only if white space does not count",
  "blank lines": "fits only if blank lines do not count",
  context: "fits only without its outermost lines of context",
  "missing lines": "has fewer lines than its header says, so some may have been cut off",
};

function reasonOf(doubts: readonly Doubt[]): string {
  const told = doubts.slice(0, 3).map(({ hunk, line, why }) => `hunk ${hunk} (line ${line}) ${why}`);
  return told.join("; ") + (doubts.length > 3 ? `; and ${doubts.length - 3} more` : "");
}

function sizeRefusal({ hunks }: Patch, text: Text): Refusal | undefined {
  const bare = hunks.filter((hunk) => hunk.anchors !== undefined).length;
  const most = Math.floor(MOST_LOOKED / text.lines);
  if (hunks.length <= MOST_HUNKS && bare <= most) return undefined;
  const what =
    hunks.length > MOST_HUNKS
      ? `${hunks.length} hunks; the limit is ${MOST_HUNKS}`
      : `${bare} hunks without line numbers; the limit in this document is ${most}`;
  return new Refusal("TOO_LARGE", `the patch has ${what}`, {
    suggestion: "Send it in parts, or the whole text with edit.write.",
  });
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
  unexpected_eof: "Send the whole patch, with the counts of the lines that follow in each header.",
  multiple_files: "Send one patch a document, or all of them with batch.apply.",
  empty_diff: "Send at least one hunk, starting with @@.",
  empty_hunk: "A hunk needs at least one line that starts with + or -.",
};
