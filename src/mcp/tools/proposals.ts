import { z } from "zod";
import type { Result } from "../../protocol/schemas/schemas.ts";
import { defineTool } from "../tool.ts";
import { idArgument, pathArgument } from "./arguments.ts";

/** Most proposals in one answer. */
const MOST_PROPOSALS = 50;

type Proposal = Result<"proposal.get">;

export const proposalsTool = defineTool({
  name: "list_proposals",
  title: "List own proposals",
  description: "Lists your proposals, newest first: their state, and why a person rejected them.",
  reads: true,
  output: z.object({
    proposals: z.array(
      z.object({
        id: z.string(),
        path: z.string(),
        files: z.array(z.string()).optional(),
        status: z.string(),
        reason: z.string().optional(),
        problem: z.string().optional(),
      }),
    ),
  }),
  schema: z.strictObject({ path: pathArgument.optional(), id: idArgument.optional() }),
  example: { path: "notes.md" },
  async run({ caller }, { path, id }) {
    const query = { own: true, limit: MOST_PROPOSALS, ...(path !== undefined && { path }) } as const;
    const found =
      id === undefined
        ? (await caller.request("proposal.list", query)).proposals
        : [await caller.request("proposal.get", { id })];
    const proposals = found.map(stateOf);
    const text = proposals.length === 0 ? "You have no proposals." : proposals.map(lineOf).join("\n");
    return { text, data: { proposals } };
  },
});

type State = Pick<Proposal, "id" | "path" | "status"> & {
  readonly files?: string[];
  readonly reason?: string;
  readonly problem?: string;
};

function stateOf({ id, path, status, reason, problem, files }: Proposal): State {
  const paths = files?.map((file) => file.path);
  return {
    id,
    path,
    status,
    ...(paths && { files: paths }),
    ...(reason !== null && { reason }),
    ...(problem !== null && { problem }),
  };
}

function lineOf({ id, path, files, status, reason, problem }: State): string {
  return [`${id}  ${files?.join(", ") ?? path}  ${status}`, reason, problem]
    .filter((part) => part !== undefined)
    .join("  ");
}
