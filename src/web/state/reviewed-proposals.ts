import { signal } from "@preact/signals";
import type { Proposal, Verdict } from "./proposal-types.ts";
import { theDaemon } from "./session.ts";
import { attempt } from "./messages.ts";

/** Proposals that were reviewed, or have become pointless, newest first; undefined until they are asked for. */
export const reviewed = signal<readonly Proposal[] | undefined>(undefined);

/** Asks for the newest with a verdict, or with any. */
export async function refreshReviewed(verdict: Verdict | undefined): Promise<void> {
  const answer = await attempt("The proposals could not be listed", () =>
    theDaemon().proposal.list(verdict === undefined ? {} : { status: verdict }),
  );
  if (answer !== undefined) reviewed.value = answer.proposals.filter(({ status }) => status !== "pending");
}
