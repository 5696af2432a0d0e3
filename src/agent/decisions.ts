import type { Client } from "../client/client.ts";
import { filesOf, type ProposalFile } from "../client/proposal-files.ts";
import type { Result } from "../protocol/schemas/schemas.ts";
import { unlessRefused } from "./unless-refused.ts";

type Message = Result<"thread.get">["messages"][number];
type Proposal = Result<"proposal.get">;

/** Most proposals of a thread that a prompt reports, the newest. */
const MOST_PROPOSALS = 20;
/** Most characters of one diff in a prompt. */
const MOST_DIFF = 3_000;

/**
 * Returns the decisions of people on the proposals of a thread, for the author of the proposals; "" without a proposal.
 */
export async function decisionsOn(client: Client, messages: readonly Message[]): Promise<string> {
  const ids = messages.flatMap(({ proposals = [] }) => proposals).slice(-MOST_PROPOSALS);
  const lines: string[] = [];
  for (const id of new Set(ids)) {
    const proposal = await proposalOf(client, id);
    if (proposal !== undefined) lines.push(lineOf(proposal));
  }
  return lines.length === 0 ? "" : `What was decided on your proposals in this thread:\n${lines.join("\n")}`;
}

/** Returns a proposal; undefined for one that is gone, or that the agent may not see any more. */
export function proposalOf(client: Client, id: string): Promise<Proposal | undefined> {
  return unlessRefused(client.proposal.get({ id }));
}

function lineOf(proposal: Proposal): string {
  const { id, status, reviewer, reason, approvals } = proposal;
  const by = reviewer ?? "a person";
  const why = reason ? `, because: ${JSON.stringify(reason)}` : ", without a reason";
  const files = filesOf(proposal);
  const head = `- ${id} on ${files.map(({ path }) => path).join(", ")}:`;
  const taken = diffOf(files, "approved");
  const left = diffOf(files, "pending");
  const wasTaken = approvals.length > 0;
  switch (status) {
    case "approved":
      return `${head} ${by} took it. These lines changed:\n${cut(proposal.diff)}`;
    case "rejected":
      return wasTaken
        ? `${head} ${by} took a part and refused the rest${why}. This part was taken:\n${cut(taken || proposal.diff)}`
        : `${head} ${by} refused it${why}. Refused text:\n${cut(files.length > 1 ? left : proposal.proposed_value)}`;
    case "pending":
      return wasTaken
        ? `${head} ${by} took a part. These hunks still wait:\n${cut(left)}`
        : `${head} a decision is still open.`;
    case "superseded":
      return `${head} it is void, because later edits replaced its text.`;
    case "expired":
      return `${head} it expired before anybody decided.`;
  }
}

/** Returns the differences in the files of a proposal that have a status. */
function diffOf(files: readonly ProposalFile[], status: ProposalFile["status"]): string {
  return files.flatMap((file) => (file.status === status ? file.diff : [])).join("");
}

function cut(text: string): string {
  return text.length > MOST_DIFF ? `${text.slice(0, MOST_DIFF).toWellFormed()}\n…` : text.trimEnd();
}
