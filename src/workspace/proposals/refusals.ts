import type { Document } from "../document/document.ts";
import type { ProposalStatus } from "../events/events.ts";
import { Refusal } from "../outcome/refusal.ts";
import { quoted } from "./plan.ts";
import type { Proposal } from "./proposal.ts";
import type { Conflict } from "./rebase.ts";

/** The refusals of proposals. */

export function unknown(id: string): Refusal {
  return new Refusal("NOT_FOUND", `there is no proposal ${JSON.stringify(id)}`, {
    suggestion: "proposal.list shows the proposals.",
  });
}

/** The refusal for a proposal that is no longer pending. */
export function closed({ id, status, reviewer, reviewedAt, approvals, ...proposal }: Proposal): Refusal {
  const by = reviewer === null ? "" : ` by ${reviewer}`;
  const at = reviewedAt === null ? "" : ` at ${reviewedAt}`;
  const appliedChange = approvals.at(-1)?.change ?? null;
  const expected = status === "superseded" ? expectation(proposal.currentValue, proposal.operation) : "";
  return new Refusal("CONFLICT", `${id} ${WHAT_HAPPENED[status]}${by}${at}${expected}; nothing was changed`, {
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
export function overlapping(proposal: Proposal, conflicts: readonly Conflict[]): Refusal {
  const places = conflicts.map(({ lines: [from, to], now }) => {
    const where = from === to ? `line ${from} now reads` : `lines ${from}-${to} now read`;
    return `${where} ${quoted(now.replace(/\r?\n$/, ""))}`;
  });
  const expected = expectation(proposal.currentValue, proposal.operation);
  return new Refusal(
    "CONFLICT",
    `${proposal.id} cannot be approved: later edits changed what it would change${expected}; ${places.join("; ")}. It stays pending`,
    {
      suggestion: "Reject it and propose anew from the text as it is now, or undo the later edits first.",
      details: { status: 409, conflicts },
    },
  );
}

function expectation(current: string, operation: Proposal["operation"]): string {
  if (operation !== "replace" || current === "") return "";
  return ` (old content expected: ${quoted(current)}; the document may have changed since)`;
}

export function documentMoved(proposal: Proposal, seen: string, { path, version }: Document): Refusal {
  return new Refusal(
    "CONFLICT",
    `${path} is at ${version}, and ${proposal.id} was shown at ${seen}; nothing was changed`,
    {
      suggestion: "Get the proposal again, look at its diff, and approve that.",
      details: { status: 409, version },
    },
  );
}

export function noHunk(id: string, number: number, count: number): Refusal {
  return new Refusal("INVALID_ARGUMENT", `${id} has no hunk ${number}; it has ${count}, counted from 1`, {
    suggestion: "proposal.get shows the hunks with their numbers.",
    details: { hunks: count },
  });
}

/** The refusal where the version that a proposal is based on was lost with a store. */
export function baseless({ id, base }: Proposal): Refusal {
  return new Refusal("STALE_VERSION", `${id} is based on version ${base}, which is no longer stored`, {
    suggestion: "Reject it and make a new proposal.",
  });
}

export function nothingToDo(path: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", `nothing to propose: ${path} already has this text`, {
    suggestion: "Read the document to see whether anything is left to do.",
  });
}

export function otherDocument({ id, path }: Proposal): Refusal {
  return new Refusal("DELETED", `the document of ${id} is gone; another one is at ${path} now`, {
    suggestion: "Reject the proposal.",
  });
}
