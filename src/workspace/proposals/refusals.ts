import type { Document } from "../document/document.ts";
import type { ProposalStatus } from "../events/events.ts";
import { Refusal } from "../outcome/refusal.ts";
import { quoted } from "./plan.ts";
import type { Part, Proposal } from "./proposal.ts";
import type { Conflict } from "./rebase.ts";

/** The refusals of proposals. */

export function unknown(id: string): Refusal {
  return new Refusal("NOT_FOUND", `there is no proposal ${JSON.stringify(id)}`, {
    suggestion: "proposal.list shows the proposals.",
  });
}

/** The refusal for a proposal that is no longer pending. */
export function closed(proposal: Proposal): Refusal {
  const { id, status, reviewer, reviewedAt, approvals, parts, reason } = proposal;
  const happened = status === "superseded" && reason !== null ? `was ${reason}` : WHAT_HAPPENED[status];
  const by = reviewer === null ? "" : ` by ${reviewer}`;
  const at = reviewedAt === null ? "" : ` at ${reviewedAt}`;
  const appliedChange = approvals.at(-1)?.changes[0]?.change ?? null;
  const expected = status === "superseded" && parts.length === 1 ? expectation(parts[0]!) : "";
  return new Refusal("CONFLICT", `${id} ${happened}${by}${at}${expected}; nothing was changed`, {
    suggestion: ADVICE[status],
    details: { status: 409, proposal: { id, status, reviewer, reviewedAt, appliedChange } },
  });
}

const WHAT_HAPPENED: Record<ProposalStatus, string> = {
  pending: "is pending",
  approved: "was approved",
  rejected: "was rejected",
  superseded: "was superseded: the text that it would change was already changed or is gone; noticed",
  expired: "has expired; noticed",
};

const ADVICE: Record<ProposalStatus, string> = {
  pending: "Approve or reject it.",
  approved: "undo takes the change back.",
  rejected: "Make a new proposal if it is still wanted.",
  superseded: "Read the document, and make a new proposal if anything is left to do.",
  expired: "Make a new proposal if it is still wanted.",
};

/** The refusal where later edits changed the same words. */
export function overlapping(id: string, part: Part, conflicts: readonly Conflict[]): Refusal {
  const places = conflicts.map(({ lines: [from, to], now }) => {
    const where = from === to ? `line ${from} now reads` : `lines ${from}-${to} now read`;
    return `${where} ${quoted(now.replace(/\r?\n$/, ""))}`;
  });
  const expected = expectation(part);
  return new Refusal(
    "CONFLICT",
    `${id} cannot be approved: later edits changed the same text${expected}; ${places.join("; ")}. It stays pending`,
    {
      suggestion: "Reject it and propose anew from the text as it is now, or undo the later edits first.",
      details: { status: 409, conflicts },
    },
  );
}

function expectation({ currentValue, operation }: Part): string {
  if (operation !== "replace" || currentValue === "") return "";
  return ` (old content expected: ${quoted(currentValue)}; the document may have changed since)`;
}

export function documentMoved(id: string, seen: string, { path, version }: Document): Refusal {
  return new Refusal(
    "CONFLICT",
    `${path} is at ${version}, and ${id} was shown at ${seen}; nothing was changed`,
    {
      suggestion: "Look at it again with proposal.get, and approve what it shows then.",
      details: { status: 409, version },
    },
  );
}

export function noHunk(id: string, number: number, numbers: readonly number[]): Refusal {
  const named = numbers.slice(0, MOST_NAMED).join(", ");
  const list = numbers.length > MOST_NAMED ? `${named}, …` : named;
  const open =
    numbers.length === 0
      ? "no hunk of it is open"
      : `it waits with the ${numbers.length === 1 ? "hunk" : "hunks"} ${list}`;
  return new Refusal("INVALID_ARGUMENT", `${id} has no hunk ${number}; ${open}`, {
    suggestion: "proposal.get shows the hunks with their numbers.",
    details: { hunks: numbers.length },
  });
}

/** The refusal of hunks whose first numbers are not known: the text that the proposal was made from is not stored here. */
export function uncountedHunks(id: string, document: Document): Refusal {
  return unstableHunks("the text that it was made from is not stored here", id, document);
}

/** The refusal of numbers that only hunks have that grew together or fell apart: later changes may number them anew. */
export function newHunks(id: string, document: Document): Refusal {
  return unstableHunks("some grew together or fell apart since it was made", id, document);
}

function unstableHunks(why: string, id: string, { path, version }: Document): Refusal {
  return new Refusal("STALE_VERSION", `the hunks of ${id} have new numbers: ${why}`, {
    suggestion: `Look at it with proposal.get, and approve its hunks with the \`version\` of ${path} that it shows; or approve it whole.`,
    details: { status: 409, version },
  });
}

/** The refusal where the version that a proposal is based on was lost with a store. */
export function baseless(id: string, { base }: Part): Refusal {
  return new Refusal("STALE_VERSION", `${id} is based on version ${base}, which is no longer stored`, {
    suggestion: "Reject it and make a new proposal.",
  });
}

export function nothingToDo(path: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `nothing to propose: ${path} already has this text`, {
    suggestion: "Read the document to see whether anything is left to do.",
  });
}

export function otherDocument(id: string, path: string): Refusal {
  return new Refusal("DELETED", `the document of ${id} is gone; another one is at ${path} now`, {
    suggestion: "Reject the proposal.",
  });
}

/** The refusal of a creation or a rename whose place another file has. */
export function thereAlready(path: string): Refusal {
  return new Refusal("ALREADY_EXISTS", `another file is at ${path} by now`, {
    suggestion: "Reject that part, or delete or rename the file that is there first.",
    details: { status: 409, path },
  });
}

/** The refusal of a deletion whose document others have changed since. */
export function changedBeforeDeletion({ path, version }: Document): Refusal {
  return new Refusal("CONFLICT", `${path} was changed since its deletion was proposed`, {
    suggestion: "Look at the changes. Delete the file yourself, or reject that part.",
    details: { status: 409, path, version },
  });
}

/** Returns why nothing is left to do of a part. */
export function supersededPart(how: "there" | "gone"): string {
  return how === "there"
    ? "its result is there already"
    : "others removed or replaced the text that it would change";
}

/** The refusal of an approval of several files, some of which cannot be changed: nothing was changed. */
export function unfitParts(
  id: string,
  unfit: readonly { readonly path: string; readonly refusal: Refusal }[],
): Refusal {
  const named = unfit.map(({ path, refusal: { message } }) => `${path}: ${message}`).slice(0, MOST_NAMED);
  const more = unfit.length > named.length ? `; and ${unfit.length - named.length} more` : "";
  const { code } = unfit[0]!.refusal;
  return new Refusal(code, `nothing of ${id} was changed. ${named.join("; ")}${more}`, {
    suggestion: "Approve the files that can be changed, with `files`, or reject the proposal.",
    details: {
      status: 409,
      files: unfit.map(({ path, refusal }) => ({ path, code: refusal.code, message: refusal.message })),
    },
  });
}

/** The refusal of a file that no open part of a proposal is about. */
export function noSuchFile(id: string, path: string, paths: readonly string[]): Refusal {
  return new Refusal("INVALID_ARGUMENT", `${id} has nothing to approve in ${path}`, {
    suggestion: `It waits with ${paths.slice(0, MOST_NAMED).join(", ")}.`,
    details: { paths: paths.slice(0, MOST_NAMED) },
  });
}

/** Returns the refusal of hunks without the file, or the edit, that they belong to. */
export function hunksOfNoEdit(id: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `the hunks name no edit of ${id}`, {
    suggestion: "Name the file of the hunks in `files`. A creation, deletion or rename has no hunks.",
  });
}

/** The most files that one refusal names. */
const MOST_NAMED = 20;

/** The refusal of an approval of files with nothing left to do, while others of the proposal wait. */
export function nothingLeft(id: string): Refusal {
  return new Refusal("CONFLICT", `the chosen parts of ${id} are all done already; nothing was changed`, {
    suggestion: "proposal.get shows the changes of its other files.",
    details: { status: 409 },
  });
}
