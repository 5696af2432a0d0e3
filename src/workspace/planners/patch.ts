import { type PlacedHunk, placePatch } from "../../text/patch/locate.ts";
import {
  isPatchFailure,
  type Match,
  type Patch,
  type PatchFailure,
  parsePatch,
} from "../../text/patch/patch.ts";
import type { Allowance } from "../../text/patch/place-hunk.ts";
import { MAX_OFFSET } from "../../text/patch/search.ts";
import type { Text } from "../../text/text.ts";
import { Refusal } from "../outcome/refusal.ts";
import { type PatchTarget, refuseOtherFile } from "./patch-target.ts";
import { type InexactHunk, type Planner, workerPlanner } from "./plan.ts";

/** A hunk that moved by more lines needs confirmation: it may have landed at a similar place. */
const CONFIRM_OFFSET = 10;

/** The most hunks of a patch: placing more would delay other requests (I14). */
const MOST_HUNKS = 10_000;
/** The most hunks without line numbers, times the lines of the document: each is searched for in all lines. */
const MOST_COMPARED = 50_000_000;

/** The most inexact hunks in a plan. */
const MOST_HUNKS_SHOWN = 20;
/** The most lines of the document that a plan quotes for one hunk. */
const MOST_LINES_SHOWN = 20;
/** The lines around a hunk that a plan quotes with it. */
const LINES_AROUND = 2;

/**
 * Plans `edit.patch`: a unified diff of one file, all hunks or none. Inexact hunks need confirmation. `own` is true when
 * the edit names the version that the patch was made from. The patch's headers must not name another file than `target`.
 */
export function planPatch(
  source: string,
  match: Match = "strict",
  own = false,
  target?: PatchTarget,
): Planner {
  const cost = (text: Text) => costOf(source, match, text);
  return workerPlanner({ planner: "patch", args: [source, match, own, target], cost }, ({ text }) => {
    const patch = parsePatch(source, match);
    if (isPatchFailure(patch)) return patchRefusal(patch);
    const refused = (target && refuseOtherFile(patch, target)) ?? sizeRefusal(patch, text);
    if (refused !== undefined) return refused;
    const placed = placePatch(text, patch, match, own);
    if (isPatchFailure(placed)) return patchRefusal(placed);
    const { maxOffset, fuzz, splices, hunks } = placed;
    const inexact = hunks.flatMap((hunk, i) => (isInexact(hunk) ? [{ ...hunk, hunk: i + 1 }] : []));
    return {
      splices,
      applied: { hunks: hunks.length, offset: maxOffset, fuzz },
      ...(text.chars > 0 && hunks.some(isBlind) && { blind: true }),
      ...(inexact.length > 0 && {
        confirm: reasonOf(inexact),
        inexactHunks: inexact.slice(0, MOST_HUNKS_SHOWN).map((hunk) => describeHunk(hunk, text)),
      }),
    };
  });
}

/** The lines that a search compares in the time in which the parser reads one UTF-16 unit. */
const LINES_PER_UNIT = 64;

/**
 * Returns the cost of placing a patch. A strict hunk with line numbers is searched for near them, and any other may be
 * searched for in all lines.
 */
function costOf(source: string, match: Match, text: Text): number {
  let compared = 0;
  for (const [, numbers] of source.matchAll(HUNK)) {
    const isNear = match === "strict" && numbers !== undefined;
    compared += isNear ? Math.min(2 * MAX_OFFSET, text.lines) : text.lines;
  }
  return source.length + compared / LINES_PER_UNIT;
}

/** Matches the beginning of a hunk, with its line numbers if it has any. */
const HUNK = /^[ \t]*@@( -\d)?/gm;

/** Returns true if a hunk needs a confirmation before it is applied (4.7). */
function isInexact({ offset, fuzz }: PlacedHunk): boolean {
  return Math.abs(offset) > CONFIRM_OFFSET || fuzz > 0;
}

/** Returns true if only a reader of the text can know the place: git would refuse the hunk there. */
function isBlind({ count, away }: PlacedHunk): boolean {
  return count === 0 || away !== undefined;
}

type NumberedHunk = PlacedHunk & Pick<InexactHunk, "hunk">;

function describeHunk(landed: NumberedHunk, text: Text): InexactHunk {
  const { hunk, line, count, offset, fuzz } = landed;
  const from = Math.max(1, line - LINES_AROUND);
  const to = Math.min(line + count - 1 + LINES_AROUND, from + MOST_LINES_SHOWN - 1, text.lines);
  const lines = text
    .lineSlice(from, to)
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
  return { hunk, line, offset, fuzz, why: whyOf(landed), there: { line: from, text: lines } };
}

/** Returns why a hunk needs confirmation; the hunk is the subject of the sentence. */
function whyOf({ offset, allowed }: NumberedHunk): string {
  const far = `was found ${Math.abs(offset)} lines from where the patch says`;
  const moved = Math.abs(offset) > CONFIRM_OFFSET ? [far] : [];
  return (allowed === undefined ? moved : [...moved, ALLOWANCES[allowed]]).join(" and ");
}

const ALLOWANCES: Readonly<Record<Allowance, string>> = {
  "white space": "fits only if differences in white space are ignored",
  "blank lines": "fits only if blank lines are ignored",
  context: "fits only if its outermost context lines are ignored",
  "missing lines": "has fewer lines than its header says, so lines may be missing",
};

function reasonOf(hunks: readonly NumberedHunk[]): string {
  const reasons = hunks.slice(0, 3).map((each) => `hunk ${each.hunk} (line ${each.line}) ${whyOf(each)}`);
  return reasons.join("; ") + (hunks.length > 3 ? `; and ${hunks.length - 3} more` : "");
}

function sizeRefusal({ hunks }: Patch, text: Text): Refusal | undefined {
  const bare = hunks.filter((hunk) => hunk.anchors !== undefined).length;
  const most = Math.floor(MOST_COMPARED / text.lines);
  if (hunks.length <= MOST_HUNKS && bare <= most) return undefined;
  const size =
    hunks.length > MOST_HUNKS
      ? `${hunks.length} hunks; the limit is ${MOST_HUNKS}`
      : `${bare} hunks without line numbers; the limit in this document is ${most}`;
  return new Refusal("TOO_LARGE", `the patch has ${size}`, {
    suggestion: "Split the patch, or send the whole text with edit.write.",
  });
}

function patchRefusal(failure: PatchFailure): Refusal {
  const { message, ...details } = failure;
  return new Refusal(failure.reason === "context_ambiguous" ? "AMBIGUOUS_MATCH" : "PATCH_REJECTED", message, {
    suggestion: failure.wholeFile ? WHOLE_FILE : (SUGGESTIONS[failure.reason] ?? REREAD),
    details,
  });
}

const REREAD = "Read the document again and make the patch from its exact lines.";
const WHOLE_FILE =
  "Call doc.create, doc.delete or doc.rename for the file itself. To change its text, name the document on both sides of the patch.";

const SUGGESTIONS: Partial<Record<PatchFailure["reason"], string>> = {
  already_applied: "Send no edit: the document already contains the changes of the patch.",
  context_ambiguous:
    "Add context lines until only one place fits, or correct the line numbers in the @@ header.",
  invalid_header:
    "Write hunk headers as @@ -line,count +line,count @@, with the numbers of lines in the hunk as counts.",
  unexpected_eof: "Send the whole patch, with the numbers of lines in each hunk as counts in its header.",
  range_overlap: "Put the hunks in the order of the document, and join hunks that overlap.",
  multiple_files: "Send one patch for each document, or all of them with batch.apply.",
  empty_diff: "Send at least one hunk that starts with @@.",
  empty_hunk: "Each hunk needs at least one line that starts with + or -.",
};
