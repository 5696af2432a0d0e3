import { RefusedError } from "../../../client/browser.ts";
import { showMessage } from "../../state/base/messages.ts";
import { plural } from "../../state/base/plural.ts";
import { theDaemon } from "../../state/base/session.ts";
import { aboutText } from "../../state/proposals/proposal-files.ts";
import type { ProposalEntry } from "../../state/proposals/proposal-types.ts";

const MOST_TRIES = 5;

/** Approves proposals as the person saw them, the oldest first. A proposal that has changed meanwhile stays pending. */
export async function approveSeveral(proposals: readonly ProposalEntry[]): Promise<void> {
  const failed: string[] = [];
  for (const proposal of proposals.toReversed()) {
    const reason = await approveOne(proposal, MOST_TRIES);
    if (reason !== undefined) failed.push(`${aboutText(proposal)}: ${reason}`);
  }
  const done = proposals.length - failed.length;
  if (failed.length === 0) showMessage("good", `Approved ${plural(done, "proposal")}.`);
  else showMessage("bad", `Approved ${done} of ${plural(proposals.length, "proposal")}.`, failed.join("; "));
}

/** Approves a proposal if it still makes the change that the person saw. Returns why it did not. */
async function approveOne(seen: ProposalEntry, tries: number): Promise<string | undefined> {
  try {
    const { id, version, diff } = await theDaemon().proposal.get({ id: seen.id });
    if (withoutPlaces(diff) !== withoutPlaces(seen.diff)) return "it has changed meanwhile";
    await theDaemon().proposal.approve({ id, ...(version !== null && { version }) });
    return undefined;
  } catch (error) {
    const isOtherVersion =
      error instanceof RefusedError && error.code === "CONFLICT" && "version" in error.details;
    if (isOtherVersion && tries > 1) return approveOne(seen, tries - 1);
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns a diff without the line numbers of its hunks, which an approval of another proposal moves. */
function withoutPlaces(diff: string): string {
  return diff.replaceAll(/^@@ .*? @@/gm, "@@");
}
