import type { Allowance } from "../../text/ladder.ts";
import { type Landed, placePatch } from "../../text/locate.ts";
import { isPatchFailure, type Match, type Patch, type PatchFailure, parsePatch } from "../../text/patch.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";
import { type InexactHunk, type Planner, workerPlanner } from "./plan.ts";

/** A hunk that moved farther than this may have found a twin of its place: a person or model looks first. */
const CONFIRM_OFFSET = 10;

/** A patch with more hunks than this would hold up everybody else while it is placed (I14). */
const MOST_HUNKS = 10_000;
/** The same for hunks that are looked for in the whole document: times its lines. */
const MOST_LOOKED = 50_000_000;

/** Doubtful hunks that are shown, lines of each, and how many of them are around it. */
const SHOWN_HUNKS = 20;
const SHOWN_LINES = 20;
const AROUND = 2;

/** `edit.patch`: a unified diff of one file: all hunks or none. What was allowed for is to be confirmed. */
export function planPatch(source: string, match: Match = "strict"): Planner {
  const cost = (text: Text) => costOf(source, text);
  return workerPlanner({ planner: "patch", args: [source, match], cost }, ({ text }) => {
    const patch = parsePatch(source, match);
    if (isPatchFailure(patch)) return patchRefusal(patch);
    const refused = sizeRefusal(patch, text);
    if (refused !== undefined) return refused;
    const placed = placePatch(text, patch, match);
    if (isPatchFailure(placed)) return patchRefusal(placed);
    const { maxOffset, fuzz, splices, hunks } = placed;
    const doubts = hunks.flatMap((hunk, i) => (isDoubtful(hunk) ? [{ ...hunk, hunk: i + 1 }] : []));
    return {
      splices,
      applied: { hunks: hunks.length, offset: maxOffset, fuzz },
      ...(doubts.length > 0 && {
        confirm: reasonOf(doubts),
        inexactHunks: doubts.slice(0, SHOWN_HUNKS).map((doubtful) => doubtOf(doubtful, text)),
      }),
    };
  });
}

/** Lines that are compared in the time in which one UTF-16 unit is parsed: a hunk may be looked for in all of them. */
const LINES_PER_UNIT = 64;

function costOf(source: string, text: Text): number {
  let hunks = 0;
  for (let at = source.indexOf("@@ "); at >= 0; at = source.indexOf("\n@@", at + 1)) hunks++;
  return source.length + (hunks * text.lines) / LINES_PER_UNIT;
}

/** True when somebody has to look at a hunk before it is applied (4.7). */
function isDoubtful({ offset, fuzz }: Landed): boolean {
  return Math.abs(offset) > CONFIRM_OFFSET || fuzz > 0;
}

type Doubtful = Landed & Pick<InexactHunk, "hunk">;

function doubtOf(doubtful: Doubtful, text: Text): InexactHunk {
  const { hunk, line, count, offset, fuzz } = doubtful;
  const from = Math.max(1, line - AROUND);
  const to = Math.min(line + count - 1 + AROUND, from + SHOWN_LINES - 1, text.lines);
  const lines = text
    .lineSlice(from, to)
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
  return { hunk, line, offset, fuzz, why: whyOf(doubtful), there: { line: from, text: lines } };
}

function whyOf({ offset, fuzz, allowed }: Doubtful): string {
  const far = `was found ${Math.abs(offset)} lines from where the patch says`;
  const moved = Math.abs(offset) > CONFIRM_OFFSET ? [far] : [];
  return (allowed === undefined ? moved : [...moved, `${ALLOWED[allowed]} (fuzz ${fuzz})`]).join(" and ");
}

const ALLOWED: Readonly<Record<Allowance, string>> = {
  "white space": "fits only if white space does not count",
  "blank lines": "fits only if blank lines do not count",
  context: "fits only without its outermost lines of context",
  "missing lines": "has fewer lines than its header says, so some may have been cut off",
};

function reasonOf(doubts: readonly Doubtful[]): string {
  const told = doubts.slice(0, 3).map((each) => `hunk ${each.hunk} (line ${each.line}) ${whyOf(each)}`);
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
