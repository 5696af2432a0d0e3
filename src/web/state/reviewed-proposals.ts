import { signal } from "@preact/signals";
import { attempt } from "./messages.ts";
import type { FinalStatus, ProposalEntry } from "./proposal-types.ts";
import { theDaemon } from "./session.ts";

/** Proposals that were reviewed, or have become pointless, newest first; undefined until they are asked for. */
export const reviewedProposals = signal<readonly ProposalEntry[] | undefined>(undefined);

/** Asks for the newest with a verdict, or with any. */
export async function refreshReviewed(verdict: FinalStatus | undefined): Promise<void> {
  const answer = await attempt("The proposals could not be listed", () =>
    theDaemon().proposal.list(verdict === undefined ? {} : { status: verdict }),
  );
  if (answer !== undefined)
    reviewedProposals.value = answer.proposals.filter(({ status }) => status !== "pending");
}
