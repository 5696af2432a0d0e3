import { z } from "zod";
import { name as anyName, method, path, text } from "./common.ts";

const name = anyName.describe("Name of the lane, and of the author of its writes.");

const waiting = z.object({
  path: path.describe("Path in the lane."),
  status: z
    .enum(["proposed", "refused", "rejected", "blocked"])
    .describe(
      "`proposed`: waits for approval. `refused`: the daemon did not take the text in. `rejected`: a reviewer refused it. `blocked`: the daemon cannot use the file.",
    ),
  deleted: z.boolean().describe("True for a file that the agent deleted."),
  why: z.string().nullable().describe("The reason, where there is one."),
});

const lane = z.object({
  name: z.string(),
  folder: z.string().describe("Absolute path of the lane."),
  token: z.string().describe("Name of the token whose rules apply."),
  agent: z.string().describe("Identity of the author."),
  propose: z.boolean().describe("True when all writes become proposals."),
  created_at: z.string().describe("ISO 8601."),
  files: z.int().describe("Number of files that follow the workspace."),
  waiting: z.array(waiting).describe("Files whose text the workspace does not have."),
  proposal: z.string().nullable().describe("Pending proposal of the lane's writes."),
  commit: z
    .string()
    .nullable()
    .describe("Commit of the lane's git worktree at which no branch and no tag ends."),
  problem: z
    .string()
    .nullable()
    .describe("Why the lane does not follow the workspace at present; of a removed lane, which files stay."),
});

/** Methods about lanes: live folders of the workspace, each for one agent. */
export const lanes = {
  "lane.add": method(
    "Makes a live folder of the workspace for one agent. Whatever is written there is the agent's, under its token's rules.",
    "admin",
    () =>
      z.strictObject({
        name,
        folder: text
          .min(1)
          .max(4096)
          .optional()
          .describe("Absolute path of an empty or new folder. Default: `<workspace>.lanes/<name>`."),
        token: anyName.optional().describe("Name of the token whose rules apply. Default: the owner's."),
        propose: z.boolean().optional().describe("True to make proposals of all writes. Default: false."),
      }),
    () => lane,
    "all",
  ),
  "lane.list": method(
    "Returns the lanes, with the files whose text the workspace does not have.",
    "admin",
    () => z.strictObject({}),
    () => z.object({ lanes: z.array(lane) }),
    "all",
  ),
  "lane.remove": method(
    "Removes a lane and its folder. A lane with text that the workspace does not have is refused with `CONFLICT`.",
    "admin",
    () =>
      z.strictObject({
        name,
        force: z
          .boolean()
          .optional()
          .describe("True to remove the lane with such text, too. A pending proposal stays. Default: false."),
      }),
    () => lane,
    "all",
  ),
};
