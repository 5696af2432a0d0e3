import { signal } from "@preact/signals";
import { attempt } from "../base/messages.ts";
import { theDaemon } from "../base/session.ts";
import type { FinalStatus, ProposalEntry } from "./proposal-types.ts";

/** The proposals that are no longer pending, newest first; undefined until the first request is answered. */
export const reviewedProposals = signal<readonly ProposalEntry[] | undefined>(undefined);

/** Fetches the newest proposals with one final status, or with any. */
export async function refreshReviewed(status: FinalStatus | undefined): Promise<void> {
  const answer = await attempt("Could not list the proposals", () =>
    theDaemon().proposal.list(status === undefined ? {} : { status: status }),
  );
  if (answer !== undefined)
    reviewedProposals.value = answer.proposals.filter(({ status }) => status !== "pending");
}
