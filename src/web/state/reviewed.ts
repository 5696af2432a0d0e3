import { signal } from "@preact/signals";
import type { Proposal } from "./proposals.ts";
import { theDaemon } from "./session.ts";
import { attempt } from "./tell.ts";

export type Verdict = Exclude<Proposal["status"], "pending">;

/** Proposals that were reviewed, or have become pointless, newest first; undefined until they are asked for. */
export const reviewed = signal<readonly Proposal[] | undefined>(undefined);

export async function refreshReviewed(): Promise<void> {
  const answer = await attempt("The proposals could not be listed", () => theDaemon().proposal.list({}));
  if (answer !== undefined) reviewed.value = answer.proposals.filter(({ status }) => status !== "pending");
}
