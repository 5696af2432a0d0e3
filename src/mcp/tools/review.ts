import { z } from "zod";
import { approveShown, versionsShown } from "../../client/approve-shown.ts";
import { filesOf, type ProposalFile } from "../../client/proposal-files.ts";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { hunksOf, onMachine } from "../answer-text.ts";
import { defineTool } from "../tool.ts";
import { idArgument, pathArgument, versionArgument } from "./arguments.ts";

type Proposal = Result<"proposal.get">;

const hunkNumbers = z.array(z.int().min(1)).min(1).optional();

const shownVersion = versionArgument.meta({ description: undefined }).optional();

export const reviewTool = defineTool({
  name: "review_proposal",
  title: "Review a proposal",
  description: "Shows a proposal by hunks; `decision` approves it or `files`, or rejects it.",
  reads: false,
  schema: z.strictObject({
    id: idArgument,
    decision: z.enum(["approve", "reject"]).optional(),
    files: z
      .array(z.strictObject({ path: pathArgument, hunks: hunkNumbers, version: shownVersion }))
      .min(1)
      .optional(),
    reason: z.string().max(10_000).optional(),
  }),
  example: { id: "prop_1", decision: "approve", files: [{ path: "notes.md", hunks: [1] }] },
  async run(agent, { id, decision, files, reason }) {
    const { caller } = agent;
    if (decision === undefined) {
      const proposal = await caller.request("proposal.get", { id });
      agent.rememberProposal(proposal.id, versionsShown(proposal));
      return shown(proposal);
    }
    if (decision === "reject") {
      const rejected = await caller.request("proposal.reject", {
        id,
        ...(reason !== undefined && { reason }),
      });
      return `${rejected.id}: ${rejected.withdrawn ? "withdrawn" : "rejected"}`;
    }
    const chosen = files?.map(({ path, hunks, version }) => ({
      path,
      ...(hunks && { hunks }),
      ...(version !== undefined && { version }),
    }));
    const approval = { id, ...(chosen && { files: chosen }) };
    const approved = await approveShown(caller, approval, agent.shownProposal(id));
    const { applied_batch: batchId, edit } = approved;
    if (batchId !== null) agent.remember({ batchId });
    else if (edit.changeId !== null) agent.remember({ changeId: edit.changeId });
    const lines = (approved.edits ?? [edit]).map(({ path, summary }) => `${path}: ${summary}`);
    for (const { id: other, path, status, problem } of approved.obsolete)
      lines.push(`${other} (${path}) is ${status}${problem === null ? "" : `: ${problem}`}`);
    return [`${approved.id}: ${approved.status}`, ...lines].join("\n");
  },
});

function shown(proposal: Proposal): string {
  const { id, author, machine, status, reasoning } = proposal;
  return [
    `${id}  ${author}${onMachine(machine)}  ${status}  ${reasoning}`,
    ...filesOf(proposal).map(shownFile),
  ].join("\n");
}

function shownFile({ path, to, operation, status, version, problem, diff, hunks }: ProposalFile): string {
  const at = hunks.length === 0 ? "" : ` (version=${version})`;
  const lines = [`${path}: ${operation}${to === undefined ? "" : ` to ${to}`}, ${status}${at}`];
  if (problem !== null) lines.push(problem);
  if (hunks.length === 0 && to === undefined) lines.push(hunksOf(diff));
  for (const hunk of hunks) lines.push(`hunk ${hunk.number}:`, hunksOf(hunk.diff));
  return lines.join("\n");
}
